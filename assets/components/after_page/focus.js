// Moves the focus and the window to new content, once for each new stamp; for each new look only the window.
// Comes after after_run.js.

const box = (key) => document.querySelector(`.st-key-${CSS.escape(key)}`);

function focus(target) {
  const goal = box(target)?.querySelector("h2, h3") ?? box(target);
  if (!goal) return;
  goal.tabIndex = -1;
  goal.style.outline = "none"; // a heading is no control
  goal.focus({ preventScroll: true });
  return goal;
}

/** Are this container, the picture and its controls all in view, above a bar that covers the page's lower edge? */
function isInSight(view) {
  const [controls, stage] = ["controls", "stage"].map((name) => box("memory")?.querySelector(`.pkl-${name}`));
  const last = controls?.hidden ? stage : controls;
  const bar = box("lesson_doing")?.parentElement;
  const isBar = bar && getComputedStyle(bar).position === "sticky";
  const lowest = isBar ? Math.min(innerHeight, bar.getBoundingClientRect().top) : innerHeight;
  return box(view)?.getBoundingClientRect().top >= 0 && last?.getBoundingClientRect().bottom <= lowest;
}

/** Call back once the picture's script has set its height; at once on a page without a picture. */
function whenDrawn(callback, tries = 50) {
  const memory = box("memory");
  if (tries === 0 || !memory || memory.querySelector(".pkl-plot")) callback();
  else setTimeout(() => whenDrawn(callback, tries - 1), LOOK_EVERY_MS);
}

/** Scroll this container to the window's top. */
function show(view) {
  box(view)?.scrollIntoView({ block: "start" });
}

function go({ target, view }) {
  const goal = focus(target);
  if (view) return show(view);
  box(target)?.scrollIntoView({ block: "nearest" }); // all of it if it fits, at least the focused heading
  goal?.scrollIntoView({ block: "nearest" });
}

/** Move to where this container wants it. `before`: what it wanted in the last run; undefined if it is new. */
function moveFocus(before, data) {
  if (before === undefined ? data.opens : before.stamp === data.stamp && before.look !== data.look) {
    afterRun(() => whenDrawn(() => isInSight(data.view) || show(data.view)));
  } else if (before !== undefined && before.stamp !== data.stamp) afterRun(() => whenDrawn(() => go(data)));
}
