// Scrolls a line of the source into view, inside its own box only.

/** The scrolling box around the line, if there is one inside the page. */
function scrollingBox(line) {
  for (let box = line.parentElement; box && box.dataset.testid !== "stMain"; box = box.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
  return null;
}

function show(data) {
  const line = document.querySelector(`.kv-src [data-line="${CSS.escape(String(data.line))}"]`);
  if (!line) return;
  const method = line.closest("details");
  if (method) method.open = true;
  const box = scrollingBox(line);
  if (!box) return;
  if (data.focus) {
    line.closest("details")?.querySelector("summary")?.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
  }
  // At the top stands the name of the method that begins with the line.
  const shown = (data.top && method?.querySelector("summary")) || line;
  const above = shown.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTop += above - (data.top ? 4 : box.clientHeight / 2.5);
}

export default function ({ data, parentElement }) {
  // An empty element would still take up a gap.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  if (parentElement.shown === data.stamp) return; // the reader may have scrolled since
  parentElement.shown = data.stamp;
  afterRun(() => show(data));
}
