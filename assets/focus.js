// Takes the keyboard and the eye to what has just come, once for each new stamp; never when the page opens.

function go(target) {
  const box = document.querySelector(`.st-key-${CSS.escape(target)}`);
  const goal = box?.querySelector("h2, h3") ?? box;
  if (!goal) return;
  goal.tabIndex = -1;
  goal.style.outline = "none"; // it is no control
  goal.focus({ preventScroll: true });
  goal.scrollIntoView({ block: "nearest" });
}

export default function ({ data, parentElement }) {
  // An empty element still takes the gap between two elements.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const before = parentElement.stamp;
  parentElement.stamp = data.stamp;
  if (before !== undefined && before !== data.stamp) afterRun(() => go(data.target));
}
