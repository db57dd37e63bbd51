// The second window: shows what is for the presenter alone, and steers the presented window: of the same browser, else
// one that leads the same class on another device. Comes after element.js and relay.js.

const KEYS = {
  ArrowLeft: "back",
  PageUp: "back",
  ArrowRight: "forward",
  PageDown: "forward",
  v: "reveal",
  j: "next",
  k: "previous",
  r: "reset",
  b: "blank",
  ".": "blank",
  "+": "larger",
  "=": "larger",
  "-": "smaller",
  c: "contrast",
  l: "language",
};
const NEEDS = "input, textarea, select, [contenteditable], [role='slider'], [role='listbox'], [data-testid='stPopoverBody']";

function button(box, name, label, disabled) {
  const made = element("button", "pkl-button", box.buttons, { type: "button", "data-press": name });
  made.textContent = label;
  made.disabled = disabled;
}

/** Draw what the presented window has told; nothing but how to open one if there is none. */
function show(box) {
  const { told, data } = box;
  const { words } = data;
  const held = box.contains(document.activeElement) ? document.activeElement.dataset.press : "";
  box.status.textContent = told ? [told.title, told.place, told.blank && words.blank].filter(Boolean).join(" · ") : words.alone;
  box.buttons.replaceChildren();
  box.remarks.replaceChildren();
  if (!told) return;
  button(box, "back", words.back, false);
  button(box, "forward", words.forward, false);
  for (const { name, label, disabled } of told.buttons) button(box, name, label, disabled);
  button(box, "blank", words.blank_button, false);
  if (held) box.buttons.querySelector(`[data-press="${held}"]`)?.focus();
  for (const text of told.covered) element("p", "kv-follow-covered", box.remarks).textContent = text;
  for (const [title, ...lines] of told.remarks) {
    element("h2", "", box.remarks).textContent = title;
    for (const line of lines) element("p", "", box.remarks).textContent = line;
  }
  if (told.isCut) element("p", "", box.remarks).textContent = words.cut;
}

const LATEST = 8; // presses in a word: so many may come before the other side reads

/** Press a button of the presented window. */
function send(box, name) {
  if (box.isNear || !box.relay) return void box.channel.postMessage({ press: name });
  box.presses = [...box.presses, { id: crypto.getRandomValues(new Uint32Array(2)).join("."), press: name }].slice(-LATEST);
  box.relay.say({ presses: box.presses }, { now: true });
}

/** What the presented window tells. One in the same browser is nearer than one on another device. */
function hear(box, told, isNear) {
  if (!isNear && box.isNear) return;
  box.isNear = isNear && !told.left;
  box.told = told.left ? null : told;
  show(box);
}

function connectFar(box) {
  const { relay: url } = box.data;
  if ((box.relay?.url ?? "") === url) return;
  box.relay?.close();
  box.relay = url ? openRelay(url, "second", (told) => hear(box, told, false)) : null;
}

function build(parentElement) {
  const box = element("section", "kv-follow", parentElement);
  box.status = element("p", "kv-follow-status", box, { role: "status" });
  box.buttons = element("div", "kv-follow-buttons", box);
  box.remarks = element("div", "", box);
  box.channel = new BroadcastChannel("paged-kv-lab-presented");
  box.channel.addEventListener("message", ({ data }) => {
    if (data.hello || data.press) return; // from another second window
    hear(box, data, true);
    if (data.left) box.channel.postMessage({ hello: true }); // it may only have turned to another page
  });
  box.presses = [];
  box.buttons.addEventListener("click", ({ target }) => target.dataset.press && send(box, target.dataset.press));
  box.abort = new AbortController();
  const onKey = (event) => {
    const name = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (!name || !box.told || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.activeElement?.closest(NEEDS) || document.querySelector("[role='dialog']")) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // r and c are Streamlit's own
    if (!event.repeat) send(box, name);
  };
  addEventListener("keydown", onKey, { capture: true, signal: box.abort.signal });
  return box;
}

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(":scope > .kv-follow") ?? build(parentElement);
  box.data = data;
  connectFar(box);
  show(box);
  box.channel.postMessage({ hello: true });
  const mine = (box.calls = (box.calls ?? 0) + 1);
  return () => {
    if (mine !== box.calls) return;
    box.abort.abort();
    box.channel.close();
    box.relay?.close();
    box.remove();
  };
}
