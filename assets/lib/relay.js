// Between the presented window and a second one on another device: each posts its last word, and hears the other's.
// See lessons/classroom/relay.py.

const RELAY_MS = 150; // words that come within this time are one
const MAX_TOLD = 20_000; // characters of a word, as in lessons/classroom/tables.py

/** The word as JSON. One that is too long leaves its last remarks out, and says so. */
function encodeWord(word) {
  const text = JSON.stringify(word);
  if (text.length <= MAX_TOLD || !word.remarks?.length) return text;
  return encodeWord({ ...word, remarks: word.remarks.slice(0, -1), isCut: true });
}

/** Open the relay as a side, "first" or "second". `hear` gets each word of the other side, and whether it is the first. */
function openRelay(url, side, hear) {
  const other = side === "first" ? "second" : "first";
  const source = new EventSource(`${url}/${side}`);
  const relay = { url, heard: undefined, sent: "", waits: 0 };
  source.addEventListener("message", ({ data }) => {
    const text = JSON.parse(data)[other] ?? "";
    const isFirst = relay.heard === undefined;
    if (text === relay.heard) return;
    relay.heard = text;
    if (text) hear(JSON.parse(text), isFirst);
  });
  const post = () => {
    relay.waits = 0;
    if (relay.isOver || relay.wanted === relay.sent) return;
    relay.sent = relay.wanted;
    fetch(`${url}/${side}`, { method: "POST", body: relay.sent, keepalive: true }).then(
      ({ status }) => (relay.isOver ||= status === 404), // the class has ended
      () => (relay.sent = ""),
    );
  };
  relay.say = (word, { now = false } = {}) => {
    relay.wanted = encodeWord(word);
    if (now) clearTimeout(relay.waits);
    if (now) post();
    else relay.waits ||= setTimeout(post, RELAY_MS);
  };
  relay.close = () => source.close();
  return relay;
}
