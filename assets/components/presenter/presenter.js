// The presenter's keys: each key presses a button of the presenter's bar. Comes after after_run.js and relay.js.

const BUTTONS = {
  v: "reveal",
  enter: "reveal",
  q: "ask",
  r: "reset",
  "+": "larger",
  "=": "larger",
  "-": "smaller",
  g: "code",
  u: "link",
  n: "notes",
  c: "contrast",
  l: "language",
  "?": "keys",
  escape: "leave",
};
const WITHOUT_RUN = ["keys", "link", "notes"]; // buttons that start no run
const BOUNCE_MS = 300; // a second key press within this time is ignored
const GIVE_UP_MS = 4000;

const WRITING =
  'textarea, select, [contenteditable="true"], [role="combobox"], [role="textbox"], [role="listbox"], ' +
  'input:not([type="radio"], [type="checkbox"], [type="range"], [type="button"], [type="submit"])';
const CONTROLS = `${WRITING}, input, button, a[href], summary, [role="button"], [role="tab"], [role="radio"]`;
const OPEN = '[data-testid="stPopoverBody"], [role="dialog"], [role="listbox"], [role="menu"]';

/** A button of the bar, or one to another scenario of a lecture. */
function buttonFor(name) {
  return document.querySelector(`:is(.st-key-present_${name}, .st-key-lecture_${name}) :is(button, a)`);
}

/** The name of the button for this key, or null. */
function findButtonName(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  const key = event.key.toLowerCase();
  const name = Object.hasOwn(BUTTONS, key) ? BUTTONS[key] : null;
  if (!name || !buttonFor(name)) return null;
  const focused = document.activeElement;
  if (focused?.matches(key === "enter" ? CONTROLS : WRITING)) return null; // the focused control needs the key
  if (document.querySelector(OPEN) && ["enter", "escape"].includes(key)) return null; // so does an open menu or dialog
  return name;
}

/**
 * After the list of keys is closed, take the focus from its button, which would use the next keys. Streamlit returns
 * the focus to the button after a moment, by `until` at the latest.
 */
function dropFocus(until) {
  const focused = document.activeElement;
  const back = focused?.closest(".st-key-present_keys") && !document.querySelector(OPEN);
  if (back) focused.blur();
  else if (performance.now() < until) requestAnimationFrame(() => dropFocus(until));
}

// ------------------------------------------------------------------ a remote control

/** Black over everything until the next key or click. What is below it stays as it is. */
function blank(state) {
  state.blank = Object.assign(document.createElement("div"), { className: "pkl-blank", textContent: state.data.blank });
  state.blank.setAttribute("role", "status");
  document.body.append(state.blank);
  tell(state);
}

function unblank(state) {
  if (!state.blank) return;
  state.blank.remove();
  state.blank = null;
  tell(state);
}

/** Press an arrow key for the player, and let go of it: Streamlit's shortcuts take no key while another is down. */
function sendArrow(key) {
  for (const kind of ["keydown", "keyup"]) document.body.dispatchEvent(new KeyboardEvent(kind, { key, code: key, bubbles: true }));
}

/** What a remote control sends: on, back, black. On: show what is covered, else what the arrow key does. */
function onRemote(state, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return false;
  if (document.activeElement?.matches(WRITING) || document.querySelector(OPEN)) return false;
  if (["b", ".", "B"].includes(event.key)) {
    if (!event.repeat) blank(state);
  } else if (["PageDown", "PageUp"].includes(event.key) && window.pagedKvLabPlayer) {
    const covered = document.querySelector(".kv-placeholder") && buttonFor("reveal");
    if (event.key === "PageDown" && covered) press(state, "reveal", event.repeat);
    else sendArrow(event.key === "PageDown" ? "ArrowRight" : "ArrowLeft");
  } else return false;
  return true;
}

function onKey(state, event) {
  if (state.blank && event.isTrusted) {
    unblank(state);
    event.preventDefault();
    return void event.stopImmediatePropagation();
  }
  if (onRemote(state, event)) {
    event.preventDefault();
    return void event.stopImmediatePropagation();
  }
  if (event.key === "Escape" && document.querySelector(OPEN)) dropFocus(performance.now() + 1500);
  const name = findButtonName(event);
  if (!name) return;
  // Keep the key from Streamlit's own shortcuts (r reruns, c offers to clear the cache).
  event.preventDefault();
  event.stopImmediatePropagation();
  press(state, name, event.repeat);
}

/** Press the button with this name, after those that wait already. */
function press(state, name, repeat) {
  const now = performance.now();
  const again = repeat || (name === state.name && now - state.at < BOUNCE_MS);
  Object.assign(state, { name, at: now });
  if (again) return;
  if (state.wanted.includes(name)) return; // it is waiting already
  state.wanted.push(name);
  if (state.wanted.length === 1) pressNext(state);
}

/** Press one button after another: Streamlit loses a press that comes while the callback of another one runs. */
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
    if (!button || button.disabled || WITHOUT_RUN.includes(name) || run !== state.run) done();
    else state.answered = done;
  });
}

// ------------------------------------------------------------------ the second window

const STEERED = ["reveal", "ask", "previous", "next", "reset", "smaller", "larger", "contrast", "language"];

/** Tell the second window what is in view here, and what the buttons say. */
function tell(state) {
  const buttons = STEERED.flatMap((name) => {
    const button = buttonFor(name);
    return button ? [{ name, label: button.innerText.trim(), disabled: button.disabled }] : [];
  });
  const place = document.querySelector(".pkl-position > span")?.textContent ?? "";
  const covered = [...document.querySelectorAll(".kv-placeholder")].map((each) => each.innerText.trim());
  const heading = document.querySelector(".st-key-sandbox_notes h2, .st-key-class_question h2") ?? document.querySelector("h1");
  const title = heading?.innerText.trim() ?? "";
  const told = { remarks: window.pagedKvLabRemarks ?? [], buttons, place, covered, title, blank: Boolean(state.blank) };
  state.channel.postMessage(told);
  state.relay?.say(told);
}

/** Do what the second window asks for. */
function obey(state, { data }) {
  if (data.hello) tell(state);
  else if (data.press === "blank") (state.blank ? unblank : blank)(state);
  else if (["back", "forward"].includes(data.press)) sendArrow(data.press === "back" ? "ArrowLeft" : "ArrowRight");
  else if (STEERED.includes(data.press) && buttonFor(data.press)) press(state, data.press, false);
}

/** Do what a second window on another device has asked for since. Its last word has its latest presses. */
function obeyFar(state, { presses }, isFirst) {
  for (const { id, press: name } of presses) {
    if (state.obeyed.has(id)) continue;
    state.obeyed.add(id);
    if (!isFirst) obey(state, { data: { press: name } }); // what was pressed before this page was there is over
  }
}

/** A class was opened or has ended: another device can follow, or none any more. */
function connectFar(state) {
  if (state.relay?.url === state.data.relay) return;
  state.relay?.close();
  state.relay = null;
  if (!state.data.relay) return;
  state.obeyed = new Set();
  state.relay = openRelay(state.data.relay, "first", (word, isFirst) => obeyFar(state, word, isFirst));
}

function connect(state) {
  const { signal } = state.abort;
  state.channel = new BroadcastChannel("paged-kv-lab-presented");
  state.channel.addEventListener("message", (event) => obey(state, event), { signal });
  // Texts are read once the place is drawn: to know what is visible of them needs a layout.
  const tellLater = () => setTimeout(() => signal.aborted || tell(state));
  for (const name of ["pkl-remarks", "pkl-place"]) addEventListener(name, tellLater, { signal });
  signal.addEventListener("abort", () => {
    state.channel.postMessage({ left: true });
    state.channel.close();
    state.relay?.say({ left: true }, { now: true });
    state.relay?.close();
    state.relay = null;
  });
}

// ------------------------------------------------------------------ the question stays in sight

/** The place in the log, from the address; null inside a step, while the presenter steps through its events. */
function place() {
  const at = new URL(location).searchParams.get("at_sandbox") ?? "";
  return at.includes(".") ? null : at;
}

/** After a step by key, scroll the question into view. After a click do not scroll: the button must not move away. */
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
  // An empty element would still take up a gap.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const state = (parentElement.state ??= { name: "", at: 0, wanted: [], abort: null, calls: 0 });
  if (!state.abort || state.abort.signal.aborted) {
    state.abort = new AbortController();
    const heard = { capture: true, signal: state.abort.signal };
    addEventListener("keydown", (event) => ((state.byKey = true), onKey(state, event)), heard);
    addEventListener("pointerdown", () => ((state.byKey = false), unblank(state)), heard);
    state.abort.signal.addEventListener("abort", () => unblank(state));
    connect(state);
  }
  state.data = data;
  state.run = data.run;
  connectFar(state);
  state.answered?.();
  afterRun(() => {
    if (state.abort.signal.aborted) return;
    follow(state);
    tell(state);
  });
  const mine = ++state.calls;
  return () => {
    // Streamlit also runs the clean-up of an older call when a newer one has come.
    if (mine === state.calls) state.abort.abort();
  };
}
