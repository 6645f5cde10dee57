// What all pages share: the color theme, requests to the server, and the attestation that no model helps.

document.getElementById("tools").append(themeSwitch());

class Refused extends Error {
  constructor(status, content) {
    super(content && content.error ? content.error : `The server answered with status ${status}.`);
    this.status = status;
    this.content = content;
  }
}

// The JSON of a response; rejects with Refused if the server refuses, and with another error if it cannot be reached.
async function call(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  const content = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, content);
  return content;
}

function shortened(text, length = 140) {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length > length ? `${words.slice(0, length - 1)}…` : words;
}

const attest = document.getElementById("attest");
if (attest) attest.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!document.getElementById("attested").checked) {
    announce("Check the box first.");
    document.getElementById("attested").focus();
    return;
  }
  await call("/api/attest", { no_model_helped: true });
  location.reload();
});
