// Takes the keyboard and the eye to what has just come, once for each new stamp; the eye alone for each new look.

const box = (key) => document.querySelector(`.st-key-${CSS.escape(key)}`);

function focus(target) {
  const goal = box(target)?.querySelector("h2, h3") ?? box(target);
  if (!goal) return;
  goal.tabIndex = -1;
  goal.style.outline = "none"; // it is no control
  goal.focus({ preventScroll: true });
  return goal;
}

/** Move the window so that this container stands at its top, unless all of the picture is in sight. */
function show(view, always) {
  const picture = box("memory")?.getBoundingClientRect();
  const inSight = picture && picture.top >= 0 && picture.bottom <= window.innerHeight;
  if (always || !inSight) box(view)?.scrollIntoView({ block: "start" });
}

function go({ target, view }) {
  const goal = focus(target);
  if (view) show(view, true);
  else goal?.scrollIntoView({ block: "nearest" });
}

export default function ({ data, parentElement }) {
  // An empty element still takes the gap between two elements.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const before = parentElement.seen;
  parentElement.seen = data;
  if (before === undefined ? data.opens : before.stamp === data.stamp && before.look !== data.look) {
    afterRun(() => show(data.view, false));
  } else if (before !== undefined && before.stamp !== data.stamp) afterRun(() => go(data));
}
