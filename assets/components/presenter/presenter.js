// The presenter's keys: each presses the button that the page has for it. Comes after after_run.js.

const BUTTONS = {
  v: "reveal",
  enter: "reveal",
  r: "reset",
  n: "notes",
  c: "contrast",
  l: "language",
  "?": "keys",
  escape: "leave",
};
const AT_ONCE = ["keys"]; // which Python hears nothing of
const TWICE_MS = 300; // a key that bounces
const GIVE_UP_MS = 4000;

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
  if (state.wanted.includes(name)) return; // it is still to be pressed
  state.wanted.push(name);
  if (state.wanted.length === 1) pressNext(state);
}

/** One press after another, in their order: Streamlit loses one that comes while the callback of another runs. */
function pressNext(state) {
  afterRun(() => {
    if (state.abort.signal.aborted) return void (state.wanted = []);
    const [name] = state.wanted;
    const button = buttonFor(name);
    const { run } = state;
    button?.click();
    const done = () => {
      state.answered = null;
      clearTimeout(timer);
      state.wanted.shift();
      if (state.wanted.length) pressNext(state);
    };
    const timer = setTimeout(done, GIVE_UP_MS);
    if (!button || button.disabled || AT_ONCE.includes(name) || run !== state.run) done();
    else state.answered = done;
  });
}

// ------------------------------------------------------------------ the question stays in sight

/** Where one is in the log, as the address has it; null inside a step, whose events one is looking at. */
function place() {
  const at = new URL(location).searchParams.get("at_sandbox") ?? "";
  return at.includes(".") ? null : at;
}

/** After a step by key. Who presses with the pointer looks at the button, which must not move away under it. */
function follow(state) {
  const at = place();
  if (at === null || at === state.place) return;
  const before = state.place;
  state.place = at;
  if (before === undefined || !state.byKey) return;
  const question = document.querySelector(".st-key-sandbox_notes");
  const { top = 0, bottom = 0 } = question?.getBoundingClientRect() ?? {};
  if (top < 0 || bottom > innerHeight) question.scrollIntoView({ block: "start" });
}

export default function ({ data, parentElement }) {
  // An empty element still takes the gap between two elements.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const state = (parentElement.state ??= { name: "", at: 0, wanted: [], abort: null, calls: 0 });
  if (!state.abort || state.abort.signal.aborted) {
    state.abort = new AbortController();
    const heard = { capture: true, signal: state.abort.signal };
    addEventListener("keydown", (event) => ((state.byKey = true), onKey(state, event)), heard);
    addEventListener("pointerdown", () => (state.byKey = false), heard);
  }
  state.run = data.run;
  state.answered?.();
  afterRun(() => state.abort.signal.aborted || follow(state));
  const mine = ++state.calls;
  return () => {
    // Streamlit also cleans up after a call that a newer one has overtaken.
    if (mine === state.calls) state.abort.abort();
  };
}
