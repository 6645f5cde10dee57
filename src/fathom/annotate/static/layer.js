// The marks of this page as the server has stored them, and the changes on their way there.

class Layer {
  // `address` is the path of the layer; `changed` is called after every change, `status` with words on what is saved.
  constructor(address, changed, status) {
    this.address = address;
    this.changed = changed;
    this.status = status;
    this.values = new Map();
    this.revision = 0;
    this.queue = [];
    this.sending = false;
    this.typing = false;
    addEventListener("beforeunload", (event) => {
      if (this.queue.length || this.typing) event.preventDefault();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.refresh();
    });
    addEventListener("focus", () => this.refresh());
  }

  async load() {
    const stored = await call(`${this.address}/layer`);
    this.values = new Map();
    this._merge(stored);
    this._report();
  }

  all(kind) {
    return [...this.values].filter(([, one]) => one.kind === kind).map(([id, one]) => ({ id, ...one }));
  }

  // Change elements: an object of values by id, null for one that is removed.
  edit(values) {
    for (const [id, value] of Object.entries(values)) this._set(id, value);
    this._push({ action: "changes", values });
  }

  undo() { this._push({ action: "undo" }); }

  redo() { this._push({ action: "redo" }); }

  setDone(done) { this._push({ action: "done", done }); }

  // What another tab has changed since.
  async refresh() {
    if (this.sending || this.queue.length) return;
    try {
      this._merge(await call(`${this.address}/changes?since=${this.revision}`));
      this._report();
    } catch (error) {
      if (error instanceof Refused) this.status(error.message, "failed");
      // A server that cannot be reached is noticed at the next change.
    }
  }

  _push(change) {
    this.queue.push(change);
    this._report();
    this.changed();
    this._send();
  }

  async _send() {
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length) {
      const { action, ...body } = this.queue[0];
      try {
        const saved = await call(`${this.address}/${action}`, { revision: this.revision, ...body });
        this.queue.shift();
        this._merge(saved);
      } catch (error) {
        if (!(error instanceof Refused)) {
          this.status("Not saved: the server is not responding. Trying again…", "failed");
          await new Promise((resolve) => setTimeout(resolve, 1000));
          continue;
        }
        if (error.status === 409) this._rebase(error.content);
        else await this._discard(error.message);
      }
      this._report();
    }
    this.sending = false;
  }

  // Another tab was first. What it changed is taken over; a change of other elements is sent again.
  _rebase(stored) {
    const [change] = this.queue;
    const same = Object.keys(change.values || {}).some((id) => id in stored.values);
    if (same) {
      this.queue = [];
      announce("Another tab changed the same mark. Its version is shown.");
    }
    this._merge(stored);
  }

  async _discard(reason) {
    this.queue = [];
    await this.load();
    announce(reason);
    this.status(reason, "failed");
    this.refused = reason;
  }

  _set(id, value) {
    if (value === null) this.values.delete(id);
    else this.values.set(id, value);
  }

  _merge(stored) {
    const waiting = new Set(this.queue.flatMap((change) => Object.keys(change.values || {})));
    for (const [id, value] of Object.entries(stored.values)) if (!waiting.has(id)) this._set(id, value);
    this.revision = stored.revision;
    this.done = stored.done;
    this.canUndo = stored.can_undo;
    this.canRedo = stored.can_redo;
    this.changed();
  }

  _report() {
    if (this.queue.length || this.typing) this.status("Saving…", "saving");
    else if (this.refused) this.refused = null;
    else this.status("Saved", "saved");
  }
}

const newId = (letter) => `${letter}-${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
