// The presenter's keys: each presses the button that the page has for it. Comes after after_run.js.

const BUTTONS = { v: "reveal", enter: "reveal", r: "reset", n: "notes", c: "contrast", "?": "keys", escape: "leave" };
const TWICE_MS = 300; // a key that bounces

const WRITING =
  'textarea, select, [contenteditable="true"], [role="combobox"], [role="textbox"], [role="listbox"], ' +
  'input:not([type="radio"], [type="checkbox"], [type="range"], [type="button"], [type="submit"])';
const CONTROLS = `${WRITING}, input, button, a[href], summary, [role="button"], [role="tab"], [role="radio"]`;
const OPEN = '[data-testid="stPopoverBody"], [role="dialog"], [role="listbox"], [role="menu"]';

function buttonFor(name) {
  return document.querySelector(`.st-key-present_${name} button`);
}

/** The name of the button that this key presses, if it is the presenter's. */
function meant(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  const key = event.key.toLowerCase();
  const name = Object.hasOwn(BUTTONS, key) ? BUTTONS[key] : null;
  if (!name || !buttonFor(name)) return null;
  const focused = document.activeElement;
  if (focused?.matches(key === "enter" ? CONTROLS : WRITING)) return null; // it has a use for the key
  if (document.querySelector(OPEN) && ["enter", "escape"].includes(key)) return null; // as has what lies on top
  return name;
}

/**
 * The list of keys is closed: the button that opened it must not keep the focus, or the keys after it would be its own.
 * Streamlit gives it back after a moment, by `until` at the latest.
 */
function letGo(until) {
  const focused = document.activeElement;
  const back = focused?.closest(".st-key-present_keys") && !document.querySelector(OPEN);
  if (back) focused.blur();
  else if (performance.now() < until) requestAnimationFrame(() => letGo(until));
}

function onKey(state, event) {
  if (event.key === "Escape" && document.querySelector(OPEN)) letGo(performance.now() + 1500);
  const name = meant(event);
  if (!name) return;
  // Streamlit's own shortcuts (r runs again, c offers to clear a cache) must not see it.
  event.preventDefault();
  event.stopImmediatePropagation();
  const now = performance.now();
  const again = event.repeat || (name === state.name && now - state.at < TWICE_MS);
  Object.assign(state, { name, at: now });
  if (again) return;
  const waiting = state.wanted !== null;
  state.wanted = name; // the latest counts: Streamlit loses a press that comes while a callback runs
  if (waiting) return;
  afterRun(() => {
    const { wanted } = state;
    state.wanted = null;
    if (!state.abort.signal.aborted && wanted) buttonFor(wanted)?.click();
  });
}

export default function ({ parentElement }) {
  // An empty element still takes the gap between two elements.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const state = (parentElement.state ??= { name: "", at: 0, wanted: null, abort: null, calls: 0 });
  if (!state.abort || state.abort.signal.aborted) {
    state.abort = new AbortController();
    addEventListener("keydown", (event) => onKey(state, event), { capture: true, signal: state.abort.signal });
  }
  const mine = ++state.calls;
  return () => {
    // Streamlit also cleans up after a call that a newer one has overtaken.
    if (mine === state.calls) state.abort.abort();
  };
}
