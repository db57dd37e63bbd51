// Helper put in front of browser_store.js: between Back or Forward and the answer. Comes after after_run.js.

// Until then the page is that of another address. A press on it would be sent with what its controls held there, which
// takes Back back; so the page takes none.
const LONGEST_TURN_MS = 8000;
const PRESSES = ["pointerdown", "mousedown", "click", "keydown"];

/**
 * Shared by all mounts. shown: the address and page that were drawn last; until: presses wait until then;
 * missed: where Back led while the line was cut, when nobody could be told.
 */
const turning = (window.pagedKvLabTurning ??= { shown: null, until: 0, missed: "" });

/** Whether this is the page of the browser's address. */
function isShown() {
  if (turning.shown?.path !== location.pathname) return false;
  const here = new URLSearchParams(location.search);
  const names = [...new Set(here.keys())].filter((name) => !name.startsWith("embed"));
  const { address } = turning.shown;
  return names.length === Object.keys(address).length && names.every((name) => here.getAll(name).at(-1) === address[name]);
}

function setUntil(time) {
  turning.until = time;
  document.documentElement.classList.toggle("pkl-turning", time > 0);
}

/**
 * The page is being drawn for this address. Where the browser has a damaged one that stands for it, it gets this one in
 * its place: a copied link and Back then lead to what is in view.
 */
function drawnFor(address, mangled) {
  if (mangled && location.search.slice(1) === mangled) {
    const mended = Object.entries(address).map((pair) => pair.map(encodeURIComponent).join("="));
    history.replaceState(history.state, "", `${location.pathname}?${mended.join("&")}${location.hash}`);
  }
  turning.shown = { address, path: location.pathname };
  afterRun(() => {
    const { missed } = turning;
    turning.missed = "";
    // The server knew nothing of it and has led forward again.
    if (missed && location.href !== missed) history.back();
    else if (isShown()) setUntil(0);
  });
}

if (!turning.listening) {
  turning.listening = true;
  addEventListener("popstate", () => {
    if (isShown()) return; // a place on the same page
    const state = document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState;
    if (state === "CONNECTED") setUntil(performance.now() + LONGEST_TURN_MS);
    else turning.missed = location.href;
  });
  const wait = (event) => {
    if (performance.now() > turning.until) return;
    const goesOn = event.type === "keydown" && (event.key === "Tab" || event.altKey || event.ctrlKey || event.metaKey);
    if (goesOn) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of PRESSES) addEventListener(type, wait, true);
}
