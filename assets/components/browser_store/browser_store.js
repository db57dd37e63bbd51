// Keeps the learner's record in this browser, and sets the page's language and two colours. Draws nothing.
// Comes after colors.js, after_run.js, tables.js, merge_record.js and history_guard.js.

const STORAGE_KEY = "paged-kv-lab";
const MAX_CHARS = 1_000_000;
const MAX_TEXTS = 8;

/**
 * Shared by all mounts on this page, so that a remount neither writes nor reports again.
 * known: the stored text that Python has; handled: the last write_id that was carried out; asked: the last one that
 * was asked for; waiting: the writes that wait for their turn among the tabs;
 * memory: the record while storage is disabled or full, until the page is left;
 * texts: recent texts that Python was sent (by the time of the report) or has written (by write_id);
 * loses: will the record be lost with the page? toldLoses: the value of `loses` that Python has.
 */
const shared = (window.pagedKvLabStore ??= {
  known: undefined,
  handled: undefined,
  asked: undefined,
  waiting: [],
  memory: null,
  texts: new Map(),
  mounts: new Set(),
  loses: !canKeep(),
  toldLoses: false,
});

/** Can the page read and write storage? A full storage may still pass: see writeText. */
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
    if (text === "{}") for (const storage of [localStorage, sessionStorage]) storage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, text);
    shared.memory = null;
    shared.loses = false;
  } catch {
    shared.memory = text;
    shared.loses = true;
  }
}

/** Parse a stored text. Anything but an object of reasonable size counts as an empty record. */
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

/** The text to store for a write, merged with what another tab has stored meanwhile. "Forget me" is never merged. */
function mergeWrite(data) {
  const stored = readText();
  const base = shared.texts.get(data.based_on.findLast((id) => shared.texts.has(id)));
  if (base === undefined || base === stored || data.write === "{}") return data.write;
  const text = JSON.stringify(merge(parse(base), parse(data.write), parse(stored)));
  return text.length > MAX_CHARS ? data.write : text;
}

/** Carry out the writes that wait. */
function writeAll() {
  for (const data of shared.waiting.splice(0)) carryOut(data);
}

/** Ask for a write once: when no other tab is merging and storing, where the browser has locks. */
async function write(data) {
  if (data.write !== null && data.write_id !== shared.asked) {
    shared.asked = data.write_id;
    shared.waiting.push(data);
  }
  try {
    await navigator.locks.request(STORAGE_KEY, writeAll);
  } catch {
    writeAll(); // no locks: the page has come without https, or has no origin of its own
  }
}

/** Carry out a write. A record that is too large is not stored. */
function carryOut(data) {
  shared.handled = data.write_id;
  if (data.write.length > MAX_CHARS) {
    shared.known = undefined; // so that the next report tells Python what is really stored
    shared.loses = true;
    return;
  }
  writeText(mergeWrite(data));
  shared.known = data.write;
  remember(data.write_id, data.write);
}

/** Send the record to Python, unless Python has it already and knows whether it will be kept. */
function report(mount) {
  const text = readText();
  if (!shared.mounts.has(mount) || (text === shared.known && shared.loses === shared.toldLoses)) return;
  shared.known = text;
  shared.toldLoses = shared.loses;
  // Streamlit calls back only for a changed value: the time makes two reports of an equal record differ.
  const at = Date.now();
  remember(String(at), text);
  mount.send("report", { record: parse(text), at, handled: shared.handled ?? "", loses: shared.loses });
}

// A link with `&#38;` instead of `&`: the browser takes the rest for a hash and does not send it to the server.
if (/^#(?:0*38|x0*26);[a-z_0-9]+=/i.test(location.hash)) {
  location.replace(location.href.replace(/&?#(?:0*38|x0*26);/gi, location.search ? "&" : "?"));
}

// Another tab wrote or emptied the record. One listener per page serves all mounts.
if (!shared.listening) {
  shared.listening = true;
  addEventListener("pagehide", writeAll); // there is no time left to wait
  addEventListener("storage", (event) => {
    if (event.key !== STORAGE_KEY && event.key !== null) return;
    for (const mount of shared.mounts) report(mount);
  });
}

// After a reconnect the server may have a new session without widgets, which would lose the first press. So ask for a
// run as soon as the connection is back.
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
  const { style } = document.documentElement; // for the styles of the page: page.css, one_view.css
  style.setProperty("--pkl-on-primary", readableOn(themeValue(parentElement, "--st-primary-color")));
  style.setProperty("--pkl-page", themeValue(parentElement, "--st-background-color"));
  // An empty element would still take up a gap.
  const container = parentElement.closest('[data-testid="stElementContainer"]');
  if (container) container.style.display = "none";

  const mount = (parentElement.pklStore ??= {});
  mount.send = setStateValue;
  mount.line = setTriggerValue;
  shared.mounts.add(mount);
  if (!data.has_record) shared.known = shared.handled = shared.asked = undefined; // a new session on the server knows nothing yet
  const written = write(data);
  afterRun(() => written.then(() => report(mount)));

  const mine = (mount.calls = (mount.calls ?? 0) + 1);
  return () => {
    if (mine === mount.calls) shared.mounts.delete(mount);
  };
}
