// Light, dark, or the system setting.

const THEMES = ["system", "light", "dark"];
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    // A page opened from disk may have no storage.
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}

function setTheme(theme, control) {
  document.documentElement.dataset.theme = theme === "system" ? (prefersDark.matches ? "dark" : "light") : theme;
  control.textContent = { system: "◐ Auto", light: "○ Light", dark: "● Dark" }[theme];
  control.setAttribute("aria-label", `Color theme: ${theme}. Change`);
}

function themeSwitch() {
  const found = remembered("fathom-theme");
  let theme = THEMES.includes(found) ? found : "system";
  const control = button("", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    remember("fathom-theme", theme);
    setTheme(theme, control);
  }, { class: "quiet-button", id: "theme", title: "Light or dark (t)" });
  setTheme(theme, control);
  prefersDark.addEventListener("change", () => setTheme(theme, control));
  return control;
}
