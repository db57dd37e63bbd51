// Helper put in front of a component's own module: messages to Python that get there once. Comes after after_run.js.

// Streamlit loses a message that arrives while a callback runs or while the connection is cut. A message without an
// answer is sent again, and again after a reconnect; Python must be able to tell that it has handled it already. If there
// is still no answer, it is given up.
const GIVE_UP_MS = 4000;
const LOOK_AFTER_MS = 250;
const FIRST_MS = 150;
const TRIES = 2;
const QUIET_LOOKS = 3; // after a reconnect the page is drawn first, see browser_store.js

/** For one message at a time. `root` has the class pkl-pending until it is handled; `onGiveUp` is called if it never is. */
function makeDelivery(root, onGiveUp) {
  return { root, onGiveUp, sent: null, timer: 0, serial: 0 };
}

/**
 * Send `message` with a serial as the value `name`, until `answered` has the serial back. `send`: setTriggerValue.
 * `first`: a promise of something to be drawn first; it is waited for a short time only.
 */
function deliver(delivery, send, name, message, first = null) {
  dropDelivery(delivery);
  delivery.sent = { send, name, message, serial: 0, tries: 0, cut: false, quiet: 0, at: performance.now() };
  setPending(delivery.root);
  delivery.timer = setInterval(() => lookAfter(delivery), LOOK_AFTER_MS);
  const { sent } = delivery;
  const begin = () => setTimeout(() => delivery.sent === sent && sent.tries === 0 && sendAgain(delivery));
  if (first) Promise.race([first, new Promise((done) => setTimeout(done, FIRST_MS))]).then(begin);
  else begin(); // what was pressed is drawn first
}

function sendAgain(delivery) {
  const { sent } = delivery;
  delivery.serial = Math.max(delivery.serial + 1, Date.now()); // also different from those before a reload
  Object.assign(sent, { serial: delivery.serial, tries: sent.tries + 1, cut: false, quiet: 0, at: performance.now() });
  sent.send(sent.name, { ...sent.message, serial: sent.serial });
}

/** Send the message again, or give it up, when its time has come. */
function lookAfter(delivery) {
  const { sent } = delivery;
  const app = document.querySelector('[data-testid="stApp"]')?.dataset;
  if (app && app.testConnectionState !== "CONNECTED") {
    Object.assign(sent, { tries: 0, cut: true, quiet: 0 });
  } else if (sent.cut) {
    sent.quiet = !app || app.testScriptState === "notRunning" ? sent.quiet + 1 : 0;
    if (sent.quiet >= QUIET_LOOKS) sendAgain(delivery);
  } else if (performance.now() - sent.at > GIVE_UP_MS) {
    if (sent.tries < TRIES) return sendAgain(delivery);
    dropDelivery(delivery);
    delivery.onGiveUp();
  }
}

/**
 * Python has handled the message with this serial. Returns the message if it was the one under way. What was handled while
 * the line was cut may be lost with the answer, so that it is sent again.
 */
function answered(delivery, serial) {
  const { sent } = delivery;
  if (!sent || sent.cut || sent.serial !== serial) return null;
  dropDelivery(delivery);
  return sent.message;
}

function dropDelivery(delivery) {
  clearInterval(delivery.timer);
  delivery.sent = null;
  setPending(delivery.root, false);
}

function setPending(root, pending = true) {
  root.classList.toggle("pkl-pending", pending);
}

// ------------------------------------------------------------------ what has to wait for a message

// With another page the message would be gone, and a copied address would be the one before it.
const WAITING = '[data-testid="stPageLink-NavLink"], .pkl-copy > button';

/** A link to another page, and the button that copies the address, wait until nothing is under way. */
function waitForDelivery(event) {
  const control = event.target instanceof Element && event.target.closest(WAITING);
  if (!control || document.querySelector(".pkl-pending") === null) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const looking = setInterval(() => {
    if (document.querySelector(".pkl-pending")) return;
    clearInterval(looking);
    afterRun(() => control.click());
  }, LOOK_AFTER_MS / 5);
}

if (!window.pagedKvLabDelivery) {
  window.pagedKvLabDelivery = true;
  addEventListener("click", waitForDelivery, true);
}
