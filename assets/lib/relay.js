// Between the presented window and a second one on another device: each posts its last word, and hears the other's.
// See lessons/classroom/relay.py.

const RELAY_MS = 150; // words that come within this time are one

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
    relay.wanted = JSON.stringify(word);
    if (now) clearTimeout(relay.waits);
    if (now) post();
    else relay.waits ||= setTimeout(post, RELAY_MS);
  };
  relay.close = () => source.close();
  return relay;
}
