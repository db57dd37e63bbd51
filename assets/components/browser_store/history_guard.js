// Helper put in front of browser_store.js. Comes after after_run.js.

// After Back or Forward, ignore presses until the new page is drawn. A press on the old page would be sent with the
// values of the old page's controls, and that would undo Back.
const LONGEST_GUARD_MS = 8000;
const PRESSES = ["pointerdown", "mousedown", "click", "keydown"];

/**
 * Shared by all mounts. shown: the path and parameters of the page drawn last; until: presses are ignored until then;
 * missed: the address that Back led to while the connection was cut, when the server could not hear of it.
 */
const guard = (window.pagedKvLabHistoryGuard ??= { shown: null, until: 0, missed: "" });

/** Is the page on the screen the page of the browser's address? */
function isShown() {
  if (guard.shown?.path !== location.pathname) return false;
  const params = new URLSearchParams(location.search);
  const names = [...new Set(params.keys())].filter((name) => !name.startsWith("embed"));
  const { address } = guard.shown;
  const isEqual = (name) => params.getAll(name).at(-1) === address[name];
  return names.length === Object.keys(address).length && names.every(isEqual);
}

/** Ignore presses until this time; 0 ends it. */
function setUntil(time) {
  guard.until = time;
  document.documentElement.classList.toggle("pkl-ignores-presses", time > 0);
}

/**
 * The server is drawing the page for this address. If the browser has a damaged form of it (`mangled`), replace that:
 * a copied link and Back then lead to the page in view.
 */
function drawnFor(address, mangled) {
  if (mangled && location.search.slice(1) === mangled) {
    const repaired = Object.entries(address).map((pair) => pair.map(encodeURIComponent).join("="));
    history.replaceState(history.state, "", `${location.pathname}?${repaired.join("&")}${location.hash}`);
  }
  guard.shown = { address, path: location.pathname };
  afterRun(() => {
    const { missed } = guard;
    guard.missed = "";
    // The server did not hear of that Back and has written its own address again: go back once more.
    if (missed && location.href !== missed) history.back();
    else if (isShown()) setUntil(0);
  });
}

if (!guard.listening) {
  guard.listening = true;
  addEventListener("popstate", () => {
    if (isShown()) return; // only the hash has changed
    const state = document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState;
    if (state === "CONNECTED") setUntil(performance.now() + LONGEST_GUARD_MS);
    else guard.missed = location.href;
  });
  const ignore = (event) => {
    if (performance.now() > guard.until) return;
    const isForBrowser = event.key === "Tab" || event.altKey || event.ctrlKey || event.metaKey;
    if (event.type === "keydown" && isForBrowser) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of PRESSES) addEventListener(type, ignore, true);
}
