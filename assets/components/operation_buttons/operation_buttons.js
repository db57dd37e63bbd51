// A row of operation buttons. A press counts once: the same button is not pressed again before the server has handled it.
// What else is pressed meanwhile waits and is done then. Comes after colors.js, after_run.js, element.js, delivery.js and
// turns.js.

function build(parentElement) {
  const row = element("div", "pkl-operations", parentElement, { role: "group" });
  const onKey = (event) => pressOnEnter(row, event);
  row.state = { data: null, send: null, nodes: new Map(), onKey };
  row.state.onPlace = () => row.state.data?.onlyAtEnd && drawDisabled(row);
  addEventListener("pkl-place", row.state.onPlace);
  row.delivery = makeDelivery(row, () => {
    dropTurns(row);
    window.pagedKvLabPlayer?.hearAnswer(true);
    drawWaiting(row);
  });
  document.addEventListener("keydown", onKey);
  return row;
}

function buildButton(row, id) {
  const item = element("div", "pkl-operation");
  const button = element("button", "pkl-button", item, { type: "button" });
  const arrow = element("span", "", button, { "aria-hidden": "true" });
  arrow.textContent = "→ ";
  const label = element("span", "", button);
  const hint = element("small", "", item, { id: `pkl-hint-${crypto.getRandomValues(new Uint32Array(2)).join("-")}` });
  button.addEventListener("click", (event) => press(row, id, event));
  return { item, button, arrow, label, hint };
}

/** Press this button in its turn, unless it is the one that was pressed last and is still under way. */
function press(row, id, event) {
  const isFree = () => row.delivery.sent === null && (window.pagedKvLabPlayer?.isFree() ?? true);
  const again = turns.last === id && (row.delivery.sent || turns.waiting.length > 0);
  if (event?.detail > 1 || again) return;
  inTurn(row, isFree, () => send(row, id), id);
  drawWaiting(row);
}

function send(row, id) {
  const { data, send: trigger } = row.state;
  const choice = data.buttons.find((each) => each.id === id);
  if (!choice || isDisabled(row, choice)) return;
  // A place that the player has not reported yet goes with the press: the operation is meant for what is in view.
  const seek = window.pagedKvLabPlayer?.takePlace() ?? null;
  const index = seek && data.byPlace ? seek.step : data.index;
  const have = window.pagedKvLabPlayer?.listChunks() ?? null;
  // The player draws the result before the server answers, and takes it back if the press is refused or lost.
  const drawing = window.pagedKvLabPlayer?.hearPress(id, data.index);
  deliver(row.delivery, trigger, "press", { id, index, drawn: data.index, seek, have }, drawing);
}

function drawWaiting(row) {
  const ids = turns.waiting.map(({ id }) => id);
  for (const [id, { button }] of row.state.nodes) setAttribute(button, "aria-busy", ids.includes(id) ? "true" : null);
}

/** While the learner looks back, operations may wait at the run's end. The player knows first. */
function isDisabled(row, choice) {
  const { onlyAtEnd } = row.state.data;
  return onlyAtEnd && window.pagedKvLabPlayer ? !window.pagedKvLabPlayer.isAtEnd() : choice.disabled;
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
    setAttribute(node.button, "aria-describedby", choice.hint ? node.hint.id : null);
  });
  drawDisabled(row);
}

/** Not the disabled attribute: the button would lose the focus, and the keyboard could not reach its reason. */
function drawDisabled(row) {
  for (const choice of row.state.data.buttons) {
    const { button } = row.state.nodes.get(choice.id);
    setAttribute(button, "aria-disabled", isDisabled(row, choice) ? "true" : null);
  }
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

export default function ({ data, parentElement, setTriggerValue }) {
  const row = parentElement.querySelector(":scope > .pkl-operations") ?? build(parentElement);
  const { state } = row;
  state.data = data;
  state.send = setTriggerValue;
  const { sent } = row.delivery;
  if (sent?.serial && !data.byPlace && data.index !== sent.message.drawn) dropDelivery(row.delivery);
  else answered(row.delivery, data.handled);
  if (sent && !row.delivery.sent) window.pagedKvLabPlayer?.hearAnswer(false);
  redraw(row);
  takeTurns();
  drawWaiting(row);
  const mine = (state.calls = (state.calls ?? 0) + 1);
  return () => {
    if (mine !== state.calls) return;
    dropDelivery(row.delivery);
    dropTurns(row);
    removeEventListener("pkl-place", state.onPlace);
    document.removeEventListener("keydown", state.onKey);
    row.remove();
  };
}
