// The second window: shows what is for the presenter alone, and steers the presented window of the same browser.
// Comes after element.js.

const KEYS = {
  ArrowLeft: "back",
  PageUp: "back",
  ArrowRight: "forward",
  PageDown: "forward",
  v: "reveal",
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
}

function build(parentElement) {
  const box = element("section", "kv-follow", parentElement);
  box.status = element("p", "kv-follow-status", box, { role: "status" });
  box.buttons = element("div", "kv-follow-buttons", box);
  box.remarks = element("div", "", box);
  box.channel = new BroadcastChannel("paged-kv-lab-presented");
  box.channel.addEventListener("message", ({ data }) => {
    if (data.hello || data.press) return; // from another second window
    box.told = data.left ? null : data;
    show(box);
    if (data.left) box.channel.postMessage({ hello: true }); // it may only have turned to another page
  });
  const send = (name) => box.channel.postMessage({ press: name });
  box.buttons.addEventListener("click", ({ target }) => target.dataset.press && send(target.dataset.press));
  box.abort = new AbortController();
  const onKey = (event) => {
    const name = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (!name || !box.told || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (document.activeElement?.closest(NEEDS) || document.querySelector("[role='dialog']")) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // r and c are Streamlit's own
    if (!event.repeat) send(name);
  };
  addEventListener("keydown", onKey, { capture: true, signal: box.abort.signal });
  return box;
}

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(":scope > .kv-follow") ?? build(parentElement);
  box.data = data;
  show(box);
  box.channel.postMessage({ hello: true });
  const mine = (box.calls = (box.calls ?? 0) + 1);
  return () => {
    if (mine !== box.calls) return;
    box.abort.abort();
    box.channel.close();
    box.remove();
  };
}
