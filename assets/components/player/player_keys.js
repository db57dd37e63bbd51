// The keys of a player, and where they belong to another control. Comes before player.js.

const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  "Shift+ArrowLeft": "event_back",
  "Shift+ArrowRight": "event_forward",
  Home: "first",
  End: "last",
  " ": "play",
};
const SHORTCUTS = {
  back: "ArrowLeft",
  forward: "ArrowRight",
  event_back: "Shift+ArrowLeft",
  event_forward: "Shift+ArrowRight",
  first: "Home",
  last: "End",
  play: "Space",
};
// Controls that need these keys themselves.
const ROLES = "slider tab menu menubar menuitem listbox option combobox radio radiogroup spinbutton grid tree dialog";
const FIELDS = [
  "input, textarea, select, dialog, iframe, video, audio, [contenteditable]:not([contenteditable='false'])",
  "[data-testid='stPopoverBody']",
  ...ROLES.split(" ").map((role) => `[role~='${role}']`),
].join(", ");
const PRESSABLE = "button, a[href], summary, [role='button'], [role='link'], [role='switch'], [role='checkbox']";
const OPEN_DIALOG = "dialog[open], [aria-modal='true']";

/** The action of a key; null if it is not the player's: in a field, with Ctrl, or on a control that needs it. */
function keyAction(event) {
  const name = (event.shiftKey ? "Shift+" : "") + event.key;
  const action = Object.hasOwn(KEYS, name) ? KEYS[name] : null;
  if (!action || event.defaultPrevented || event.isComposing) return null;
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest(FIELDS) || document.querySelector(OPEN_DIALOG)) return null;
  if (action === "play" && (event.repeat || target.closest(PRESSABLE))) return null;
  return scrollsBy(target, event.key) ? null : action;
}

/** Would the key scroll the focused box, a wide table or picture? */
function scrollsBy(target, key) {
  if (target === document.body || target === document.documentElement || target.tabIndex < 0) return false;
  const { overflowX, overflowY } = getComputedStyle(target);
  const sideways = /auto|scroll/.test(overflowX) && target.scrollWidth > target.clientWidth;
  const downwards = /auto|scroll/.test(overflowY) && target.scrollHeight > target.clientHeight;
  return key.startsWith("Arrow") ? sideways : downwards;
}
