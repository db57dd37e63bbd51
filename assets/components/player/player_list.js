// The list of all operations, a button each. The one in view is current; later ones are ahead. Comes before player.js,
// after element.js.

const MARKS = { done: "●", inside: "◐", current: "▶", ahead: "○" };

/** `goTo(step)` gets the number of operations before the chosen place. */
function makeList(parent, goTo) {
  const list = element("ol", "pkl-steps", parent, { role: "list" });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("button");
    if (row) goTo(Number(row.dataset.step));
  });
  // The list is one tab stop, however long it is; the arrow keys go from row to row.
  list.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const shown = [...list.children].filter((row) => !row.hidden);
    const next = shown[shown.indexOf(document.activeElement.closest("li")) + by];
    if (next) focusRow(list, next.firstChild);
  });
  return list;
}

/** Draw a row for the beginning and one for each operation. Rows are updated in place, so that the focus stays. */
function fillList(list, rows, words) {
  list.setAttribute("aria-label", words.list);
  while (list.children.length > rows.length + 1) list.lastChild.remove();
  while (list.children.length < rows.length + 1) {
    const row = element("button", "", element("li", "", list), { type: "button", "data-step": list.children.length - 1 });
    element("span", "pkl-mark", row, { "aria-hidden": "true" });
    for (const name of ["number", "name", "ahead", "what"]) element("span", `pkl-step-${name}`, row);
  }
  [{ name: words.start, what: "", refused: false }, ...rows].forEach((row, step) => {
    const [, number, name, , what] = list.children[step].firstChild.children;
    const texts = [[number, String(step)], [name, row.name], [what, row.what]];
    for (const [node, text] of texts) if (node.textContent !== text) node.textContent = text;
    list.children[step].firstChild.classList.toggle("pkl-refused", row.refused);
    list.children[step].classList.toggle("pkl-inner", Boolean(row.inside)); // an operation of a longer step
  });
}

/** Mark the place in view. `moved`: it has changed, so scroll to it; `follow`: move the focus too. */
function markList(list, { step, inside }, words, { moved, follow }) {
  const focused = list.contains(document.activeElement);
  const isInner = (number) => Boolean(list.children[number]?.classList.contains("pkl-inner"));
  const endOf = (number) => (isInner(number) ? endOf(number + 1) : number);
  const open = isInner(step) || inside ? endOf(step) : null; // of the longer step in view the operations are listed
  [...list.children].forEach(({ firstChild: row }, number) => {
    row.parentElement.hidden = isInner(number) && endOf(number) !== open;
    const state = number < step ? "done" : number > step ? "ahead" : inside ? "inside" : "current";
    const [mark, , , ahead] = row.children;
    row.dataset.state = state;
    row.tabIndex = number === step ? 0 : -1;
    if (number === step) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    mark.textContent = MARKS[state];
    ahead.textContent = state === "ahead" ? ` ${words.ahead} ` : " ";
  });
  const current = list.children[step]?.firstChild;
  if (!current || !moved) return;
  if (focused && follow) focusRow(list, current);
  else scrollToRow(list, current);
}

function focusRow(list, row) {
  for (const each of list.querySelectorAll("button")) each.tabIndex = each === row ? 0 : -1;
  row.focus({ preventScroll: true });
  scrollToRow(list, row);
}

/** Scroll the list's box, not the page, to this row; to the middle if the row was near an edge. Once a frame is laid out. */
function scrollToRow(list, row) {
  requestAnimationFrame(() => {
    const [box, at] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
    const edge = box.height / 5;
    if (at.top >= box.top + edge && at.bottom <= box.bottom - edge) return;
    list.scrollTop += (at.top + at.bottom - box.top - box.bottom) / 2;
  });
}
