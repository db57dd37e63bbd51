// A row of operation buttons. A press counts once: the row accepts no other press before the server has handled it.
// Comes after colors.js and after_run.js.

// Streamlit loses a press that arrives while a callback runs or while the connection is cut. A press without an answer
// is sent again, and again after a reconnect; its index keeps it from counting twice. If there is still no answer, the
// row is enabled again.
const GIVE_UP_MS = 4000;
const LOOK_AFTER_MS = 250;
const QUIET_LOOKS = 3; // after a reconnect the page is drawn first, see browser_store.js

function build(parentElement) {
  const row = document.createElement("div");
  row.className = "pkl-operations";
  row.setAttribute("role", "group");
  parentElement.append(row);
  const onKey = (event) => pressOnEnter(row, event);
  row.state = { data: null, send: null, pending: null, timer: 0, serial: 0, nodes: new Map(), onKey };
  document.addEventListener("keydown", onKey);
  return row;
}

function buildButton(row, id) {
  const item = document.createElement("div");
  item.className = "pkl-operation";
  const button = document.createElement("button");
  button.type = "button";
  const arrow = document.createElement("span");
  arrow.setAttribute("aria-hidden", "true");
  arrow.textContent = "→ ";
  const label = document.createElement("span");
  button.append(arrow, label);
  const hint = document.createElement("small");
  hint.id = `pkl-hint-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
  item.append(button, hint);
  button.addEventListener("click", (event) => press(row, id, event));
  return { item, button, arrow, label, hint };
}

function press(row, id, event) {
  const { state } = row;
  const choice = state.data.buttons.find((each) => each.id === id);
  if (event.detail > 1 || state.pending || !choice || choice.disabled) return;
  setPending(row, { index: state.data.index, id, serial: "", tries: 0, cut: false, quiet: 0, sent: 0 });
  sendPending(row);
}

function sendPending(row) {
  const { state } = row;
  const { pending } = state;
  state.serial += 1;
  // The serial is also different from those before a reload.
  const serial = `${Date.now()}-${state.serial}`;
  Object.assign(pending, { serial, tries: pending.tries + 1, cut: false, quiet: 0, sent: performance.now() });
  state.send("press", { id: pending.id, index: pending.index, serial });
}

function setPending(row, pending) {
  const { state } = row;
  clearInterval(state.timer);
  state.pending = pending;
  row.classList.toggle("pkl-pending", pending !== null);
  if (pending) state.timer = setInterval(() => lookAfter(row), LOOK_AFTER_MS);
}

/** Send the press again, or give it up, when its time has come. */
function lookAfter(row) {
  const { pending } = row.state;
  const app = document.querySelector('[data-testid="stApp"]')?.dataset;
  if (app && app.testConnectionState !== "CONNECTED") {
    Object.assign(pending, { tries: 0, cut: true, quiet: 0 });
  } else if (pending.cut) {
    pending.quiet = !app || app.testScriptState === "notRunning" ? pending.quiet + 1 : 0;
    if (pending.quiet >= QUIET_LOOKS) sendPending(row);
  } else if (performance.now() - pending.sent > GIVE_UP_MS) {
    if (pending.tries < 2) sendPending(row);
    else setPending(row, null);
  }
}

/** Update the buttons in place, by id, so that the focused one keeps the focus. */
function redraw(row) {
  const { data, nodes } = row.state;
  const primary = themeValue(row, "--st-primary-color") || "#0b5563";
  row.style.setProperty("--pkl-on-primary", readableOn(primary));
  row.setAttribute("aria-label", data.label);
  const wanted = new Set(data.buttons.map((each) => each.id));
  for (const [id, node] of nodes) {
    if (wanted.has(id)) continue;
    node.item.remove();
    nodes.delete(id);
  }
  data.buttons.forEach((choice, position) => {
    const node = nodes.get(choice.id) ?? buildButton(row, choice.id);
    nodes.set(choice.id, node);
    // A moved node loses the focus, so move it only if it is in the wrong place.
    if (row.children[position] !== node.item) row.insertBefore(node.item, row.children[position] ?? null);
    node.label.textContent = choice.label;
    node.arrow.hidden = !choice.suggested;
    node.hint.textContent = choice.hint;
    node.hint.hidden = !choice.hint;
    node.button.dataset.operation = choice.id;
    node.button.classList.toggle("pkl-suggested", choice.suggested);
    // Not the disabled attribute: the button would lose the focus, and the keyboard could not reach its reason.
    setAttribute(node.button, "aria-disabled", choice.disabled ? "true" : null);
    setAttribute(node.button, "aria-describedby", choice.hint ? node.hint.id : null);
  });
}

function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Enter in the field beside the row is the first button's press, once the field has taken what was typed. */
function pressOnEnter(row, event) {
  const { data } = row.state;
  const field = data.enterIn && event.target instanceof Element && event.target.closest(`.st-key-${data.enterIn}`);
  if (!field || event.key !== "Enter" || event.isComposing || event.repeat) return;
  setTimeout(() => press(row, data.buttons[0].id, event), 0);
}

/** A link to another page waits for the press before it: with its page the press would be gone. */
function waitForPress(event) {
  const link = event.target instanceof Element && event.target.closest('[data-testid="stPageLink-NavLink"]');
  if (!link || document.querySelector(".pkl-operations.pkl-pending") === null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const looking = setInterval(() => {
    if (document.querySelector(".pkl-operations.pkl-pending")) return;
    clearInterval(looking);
    afterRun(() => link.click());
  }, LOOK_AFTER_MS / 5);
}

if (!window.pagedKvLabLinksWait) {
  window.pagedKvLabLinksWait = true;
  addEventListener("click", waitForPress, true);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const row = parentElement.querySelector(":scope > .pkl-operations") ?? build(parentElement);
  const { state } = row;
  state.data = data;
  state.send = setTriggerValue;
  const { pending } = state;
  // What was handled while the line was cut may be lost with the answer: then the index is still the old one.
  const handled = pending && (data.index !== pending.index || (data.handled === pending.serial && !pending.cut));
  if (handled) setPending(row, null);
  redraw(row);
  const mine = (state.calls = (state.calls ?? 0) + 1);
  return () => {
    if (mine !== state.calls) return;
    clearInterval(state.timer);
    document.removeEventListener("keydown", state.onKey);
    row.remove();
  };
}
