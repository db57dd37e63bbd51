// Takes the keyboard and the eye to what has just come, once for each new stamp; the eye alone for each new look.
// Comes after after_run.js.

const box = (key) => document.querySelector(`.st-key-${CSS.escape(key)}`);

function focus(target) {
  const goal = box(target)?.querySelector("h2, h3") ?? box(target);
  if (!goal) return;
  goal.tabIndex = -1;
  goal.style.outline = "none"; // it is no control
  goal.focus({ preventScroll: true });
  return goal;
}

/** Is all from this container down to the picture and its controls in sight, above a bar that stands over the page? */
function isInSight(view) {
  const last = box("time_travel") ?? box("memory");
  const bar = box("lesson_doing")?.parentElement;
  const isBar = bar && getComputedStyle(bar).position === "sticky";
  const lowest = isBar ? Math.min(innerHeight, bar.getBoundingClientRect().top) : innerHeight;
  return box(view)?.getBoundingClientRect().top >= 0 && last?.getBoundingClientRect().bottom <= lowest;
}

/** Call back once the picture has its height, which its own script gives it; a page without one has no need to wait. */
function whenDrawn(callback, tries = 50) {
  const memory = box("memory");
  if (tries === 0 || !memory || memory.querySelector(".pkl-plot")) callback();
  else setTimeout(() => whenDrawn(callback, tries - 1), LOOK_EVERY_MS);
}

/** Move the window so that this container stands at its top. */
function show(view) {
  box(view)?.scrollIntoView({ block: "start" });
}

function go({ target, view }) {
  const goal = focus(target);
  if (view) return show(view);
  box(target)?.scrollIntoView({ block: "nearest" }); // all of it, if there is room; at any rate what has the keyboard
  goal?.scrollIntoView({ block: "nearest" });
}

export default function ({ data, parentElement }) {
  // An empty element still takes the gap between two elements.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const before = parentElement.seen;
  parentElement.seen = data;
  if (before === undefined ? data.opens : before.stamp === data.stamp && before.look !== data.look) {
    afterRun(() => whenDrawn(() => isInSight(data.view) || show(data.view)));
  } else if (before !== undefined && before.stamp !== data.stamp) afterRun(() => whenDrawn(() => go(data)));
}
