// The page's language and one colour, and the learner's record in this browser. Draws nothing itself.
// Comes after colors.js, after_run.js, tables.js, merge_record.js and history_guard.js.

const STORAGE_KEY = "paged-kv-lab";
const MAX_CHARS = 1_000_000;
const MAX_TEXTS = 8;

/**
 * Shared by all mounts on this page, so that a remount neither writes nor reports again.
 * known: the stored text that Python is known to have; handled: the last write_id carried out;
 * memory: stands in for a storage that is disabled or full, until the page is left;
 * texts: what Python was told or has written of late, by the time of the report or the write_id;
 * loses: whether what was to be kept last will be gone with the page; toldLoses: what Python knows of that.
 */
const shared = (window.pagedKvLabStore ??= {
  known: undefined,
  handled: undefined,
  memory: null,
  texts: new Map(),
  mounts: new Set(),
  loses: !canKeep(),
  toldLoses: false,
});

/** Whether this browser lets the page read and write. A storage that is full may still say yes: see writeText. */
function canKeep() {
  try {
    localStorage.getItem(STORAGE_KEY);
    localStorage.setItem(`${STORAGE_KEY}-try`, "");
    localStorage.removeItem(`${STORAGE_KEY}-try`);
    return true;
  } catch {
    return false;
  }
}

function readText() {
  if (shared.memory !== null) return shared.memory;
  try {
    return localStorage.getItem(STORAGE_KEY) ?? "{}";
  } catch {
    return "{}";
  }
}

function writeText(text) {
  try {
    if (text === "{}") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, text);
    shared.memory = null;
    shared.loses = false;
  } catch {
    shared.memory = text;
    shared.loses = true;
  }
}

/** The record of a stored text; whatever is not a record of reasonable size counts as none. */
function parse(text) {
  if (text.length > MAX_CHARS) return {};
  try {
    const record = JSON.parse(text);
    return record !== null && typeof record === "object" && !Array.isArray(record) ? record : {};
  } catch {
    return {};
  }
}

function remember(id, text) {
  shared.texts.set(id, text);
  if (shared.texts.size > MAX_TEXTS) shared.texts.delete(shared.texts.keys().next().value);
}

/** What to store for a write: where another tab has stored something else meanwhile, both. Forgetting forgets all. */
function united(data) {
  const stored = readText();
  const base = shared.texts.get(data.based_on.findLast((id) => shared.texts.has(id)));
  if (base === undefined || base === stored || data.write === "{}") return data.write;
  const text = JSON.stringify(merge(parse(base), parse(data.write), parse(stored)));
  return text.length > MAX_CHARS ? data.write : text;
}

/** Carry out a write once. Python then has what it wrote, unless the record is refused as too large. */
function write(data) {
  if (data.write === null || data.write_id === shared.handled) return;
  shared.handled = data.write_id;
  if (data.write.length > MAX_CHARS) {
    shared.known = undefined; // tell Python what is really there
    shared.loses = true;
    return;
  }
  writeText(united(data));
  shared.known = data.write;
  remember(data.write_id, data.write);
}

/** Send the record to Python if it has another one, or none, or does not know whether it is kept. */
function report(mount) {
  const text = readText();
  if (!shared.mounts.has(mount) || (text === shared.known && shared.loses === shared.toldLoses)) return;
  shared.known = text;
  shared.toldLoses = shared.loses;
  // The time makes two reports of an equal record differ: Python calls back only for a change.
  const at = Date.now();
  remember(String(at), text);
  mount.send("report", { record: parse(text), at, handled: shared.handled ?? "", loses: shared.loses });
}

// `&#38;` instead of `&` in a link: for a browser all behind it is no part of the address that the server hears of.
if (/^#(?:0*38|x0*26);[a-z_0-9]+=/i.test(location.hash)) {
  location.replace(location.href.replace(/&?#(?:0*38|x0*26);/gi, location.search ? "&" : "?"));
}

// Another tab wrote (or emptied) the record. One listener for the page, whichever mount is alive.
if (!shared.listening) {
  shared.listening = true;
  addEventListener("storage", (event) => {
    if (event.key !== STORAGE_KEY && event.key !== null) return;
    for (const mount of shared.mounts) report(mount);
  });
}

// After a cut the server may have begun a new session, which knows no widget: the first press would go nowhere. So the
// script is run as soon as the line is there again.
if (!shared.watching) {
  shared.watching = true;
  let connected = true;
  const look = () => {
    const state = document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState;
    const before = connected;
    connected = state === "CONNECTED";
    if (connected && !before) for (const mount of shared.mounts) afterRun(() => mount.line("line", Date.now()));
  };
  const watched = { subtree: true, attributes: true, attributeFilter: ["data-test-connection-state"] };
  new MutationObserver(look).observe(document.body, watched);
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  watchTables();
  drawnFor(data.address, data.mangled);
  document.documentElement.lang = data.lang;
  if (data.title) document.title = data.title;
  const { style } = document.documentElement; // for what is no component: page.css, one_view.css
  style.setProperty("--pkl-on-primary", readableOn(themeValue(parentElement, "--st-primary-color")));
  style.setProperty("--pkl-page", themeValue(parentElement, "--st-background-color"));
  // An empty element still takes the gap between two elements.
  const container = parentElement.closest('[data-testid="stElementContainer"]');
  if (container) container.style.display = "none";

  const mount = (parentElement.pklStore ??= {});
  mount.send = setStateValue;
  mount.line = setTriggerValue;
  shared.mounts.add(mount);
  if (!data.has_record) shared.known = shared.handled = undefined; // a new session on the server, its ids start again
  write(data);
  afterRun(() => report(mount));

  const mine = (mount.calls = (mount.calls ?? 0) + 1);
  return () => {
    if (mine === mount.calls) shared.mounts.delete(mount);
  };
}
