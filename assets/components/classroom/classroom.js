// Listens to a class's events, shows at once what they say, and has the page drawn again. Comes after after_run.js.

const place = (news) => `${news.phase}.${news.question ?? 0}`;

/** What stands in the form now, without how sure. */
function readChosen() {
  const area = document.querySelector(".st-key-vote_area");
  if (!area) return "";
  const typed = [...area.querySelectorAll('input[type="text"]')].map((input) => input.value.trim());
  const groups = [...area.querySelectorAll('[role="radiogroup"]')];
  const sure = groups.at(-1);
  const picked = [...area.querySelectorAll("input:checked")].filter((input) => !sure?.contains(input));
  return [...typed, ...picked.map((input) => input.closest("label")?.innerText.trim())].filter(Boolean).join(", ");
}

/** Note what was sent, by the button or, in a form, by Enter. */
function watchForm(box) {
  const note = (event) => {
    const where = event.type === "click" ? ".st-key-vote_send" : '.st-key-vote_area [data-testid="stForm"]';
    const sends = event.type === "click" || event.key === "Enter";
    if (sends && event.target instanceof Element && event.target.closest(where)) box.sent = readChosen();
  };
  for (const name of ["click", "keydown"]) addEventListener(name, note, { capture: true, signal: box.keys.signal });
}

/** Show the phase if the page was drawn for another one, and the counts if they are told. */
function show(box) {
  const { data, news } = box;
  if (!news) {
    box.count.textContent = box.said.textContent = "";
    return;
  }
  const late = place(news) !== data.seen;
  if (late && box.left !== place(news)) {
    const chosen = ["first", "second"].includes(data.seen.split(".")[0]) ? readChosen() : "";
    box.unsent = chosen && chosen !== box.sent ? data.unsent.replace("{answer}", chosen) : "";
    box.left = place(news);
    box.sent = "";
  }
  const phase = late ? (data.phases[news.phase] ?? "") : "";
  box.said.textContent = [phase, box.left === place(news) ? box.unsent : ""].filter(Boolean).join(" ");
  box.said.classList.toggle("kv-class-away", news.phase === "away");
  // A vote that is closed takes no more answers, even before the page is drawn again.
  for (const button of document.querySelectorAll(".st-key-vote_form button, .st-key-vote_send button")) {
    button.disabled = late;
  }
  if (data.count && news.participants !== undefined) {
    const given = data.count[news.phase] ?? data.count.lobby;
    box.count.textContent = given.replace("{votes}", news.votes).replace("{people}", news.participants);
  }
}

/** Have the page drawn again once for each phase: the script reads the class from the store. */
function redraw(box) {
  const wanted = place(box.news);
  if (box.news.phase === "away" || wanted === box.data.seen || wanted === box.asked) return;
  box.asked = wanted;
  afterRun(() => {
    box.asked = undefined;
    if (box.isConnected && place(box.news) !== box.data.seen) box.trigger("news", place(box.news));
  });
}

function listen(box) {
  box.source?.close();
  box.url = box.data.events;
  box.source = box.news = undefined; // the news of another class
  if (!box.url) return;
  box.source = new EventSource(box.url); // relative: a path in front of the lab stays
  box.source.addEventListener("message", (event) => {
    box.news = JSON.parse(event.data);
    show(box);
    redraw(box);
    if (box.data.live) redrawCounts(box);
  });
}

const LIVE_MS = 1000; // between two drawings for new answers

/** Have the page drawn again for answers that came after it was drawn last; a changed one counts too. */
function redrawCounts(box) {
  const { voted_at: votedAt } = box.news;
  if (!votedAt || votedAt === box.drawnFor || box.waits) return;
  box.waits = setTimeout(() => {
    box.waits = undefined;
    if (!box.isConnected || place(box.news) !== box.data.seen) return;
    box.drawnFor = box.news.voted_at;
    afterRun(() => box.isConnected && box.trigger("news", `${place(box.news)}.${box.drawnFor}`));
  }, LIVE_MS);
}

/** The instructor's key comes after `#`, which no browser sends to a server; it leaves the address at once. */
function takeKey(box) {
  const text = decodeURIComponent(location.hash.slice(1));
  if (!box.data.takes_key || !text) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  afterRun(() => box.trigger("key", text));
}

const WRITING = "textarea, input, select, [contenteditable]";
const PRESSED = `${WRITING}, button, a[href], summary, [role="button"], [role="tab"], [role="radio"]`;
const OPEN = '[data-testid="stPopoverBody"], [role="dialog"], [role="listbox"]';
const USUAL =
  '.st-key-class_steps [data-testid="stBaseButton-primary"]:not(:disabled), [class*="st-key-class_asking_"] button, ' +
  ".st-key-class_open button";

/** On the instructor's windows `q` or Enter takes the usual step, where nothing else needs the key. */
function onKey(box, event) {
  const key = event.key.toLowerCase();
  if (!["q", "enter"].includes(key) || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const needs = key === "enter" ? PRESSED : WRITING;
  if (event.repeat || document.activeElement?.matches(needs) || document.querySelector(OPEN)) return;
  event.preventDefault();
  afterRun(() => box.isConnected && document.querySelector(USUAL)?.click());
}

// ------------------------------------------------------------------ the board fits the window

const WIDE = 1000; // pixels: below, the parts are one below the other and the page scrolls
const SMALLEST = 0.5; // times the usual size
const CLOSED = 120; // pixels: the wrong idea is higher once it is run

/** Make the question and the picture smaller until both end above the window's lower edge. */
function fit() {
  const after = document.querySelector(".st-key-class_commonest")?.getBoundingClientRect().height ?? 0;
  const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
  for (const part of document.querySelectorAll(".st-key-class_board :is(.st-key-class_question, .st-key-class_picture, .st-key-class_way_in)")) {
    const now = Number(part.style.zoom) || 1;
    const { top, height } = part.getBoundingClientRect();
    const room = innerHeight - (top + scrolled) - (after < CLOSED ? after : 0) - 16;
    const wanted = innerWidth < WIDE ? 1 : Math.min(1, Math.max(SMALLEST, (room * now) / height));
    if (Math.abs(wanted - now) > 0.015) part.style.zoom = wanted;
  }
}

function keepFitting(box) {
  box.sizes?.disconnect();
  const board = document.querySelector(".st-key-class_board");
  if (!board) return;
  box.sizes = new ResizeObserver(() => requestAnimationFrame(fit));
  for (const part of [document.body, board, ...board.querySelectorAll('[class*="st-key-class_"]')]) box.sizes.observe(part);
}

function build(parentElement) {
  const box = document.createElement("div");
  box.className = "kv-class";
  box.count = box.appendChild(document.createElement("p"));
  box.count.className = "kv-class-count";
  box.said = box.appendChild(document.createElement("p"));
  box.said.className = "kv-class-said";
  box.said.setAttribute("role", "status");
  parentElement.append(box);
  return box;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(":scope > .kv-class") ?? build(parentElement);
  // On a phone a new phase is at the top of the page, with what was not sent. The instructor's windows stay.
  if (box.data && box.data.seen !== data.seen && !data.takes_key) {
    afterRun(() => document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 }));
  }
  Object.assign(box, { data, trigger: setTriggerValue });
  takeKey(box);
  box.keys?.abort();
  box.keys = new AbortController();
  if (data.takes_key) addEventListener("keydown", (event) => onKey(box, event), { signal: box.keys.signal });
  watchForm(box);
  afterRun(() => box.isConnected && keepFitting(box));
  if (box.url !== data.events) listen(box);
  show(box);
  if (box.news) redraw(box);
  return () => {
    box.source?.close();
    clearTimeout(box.waits);
    box.keys?.abort();
    box.sizes?.disconnect();
    box.url = undefined;
  };
}
