// Listens to a class's events, shows at once what they say, and has the page drawn again. Comes after after_run.js.

const place = (news) => `${news.phase}.${news.question ?? 0}`;

/** Show the phase if the page was drawn for another one, and the counts if they are told. */
function show(box) {
  const { data, news } = box;
  if (!news) return;
  const late = place(news) !== data.seen;
  box.said.textContent = late ? (data.phases[news.phase] ?? "") : "";
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
  if (wanted === box.data.seen || wanted === box.asked) return;
  box.asked = wanted;
  afterRun(() => {
    box.asked = undefined;
    if (box.isConnected && place(box.news) !== box.data.seen) box.trigger("news", place(box.news));
  });
}

function listen(box) {
  box.source?.close();
  box.url = box.data.events;
  box.source = undefined;
  if (!box.url) return;
  box.source = new EventSource(box.url); // relative: a path in front of the lab stays
  box.source.addEventListener("message", (event) => {
    box.news = JSON.parse(event.data);
    show(box);
    redraw(box);
  });
}

/** The instructor's key comes after `#`, which no browser sends to a server; it leaves the address at once. */
function takeKey(box) {
  const text = decodeURIComponent(location.hash.slice(1));
  if (!box.data.takes_key || !text) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  afterRun(() => box.trigger("key", text));
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
  Object.assign(box, { data, trigger: setTriggerValue });
  takeKey(box);
  if (box.url !== data.events) listen(box);
  show(box);
  if (box.news) redraw(box);
  return () => {
    box.source?.close();
    box.url = undefined;
  };
}
