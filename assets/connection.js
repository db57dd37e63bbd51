// Says why, where the page does not get connected to its server. Stands in index.html itself, so that it also runs where
// no other script of the page can be loaded; `texts`, by language, are given to it there.
(function (texts) {
  const EVERY = 2000; // ms between two looks
  const PATIENCE = 6000; // ms before it asks the server
  const LONGER = 14000; // ms before it says what it only concludes: nothing refused, nothing connected

  const asked = new URLSearchParams(location.search).get("lang") ?? "";
  const language = texts[asked] ? asked : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  const begun = performance.now();

  function isConnected() {
    return document.querySelector('[data-test-connection-state="CONNECTED"]') !== null;
  }

  /** Whether Streamlit's scripts should have drawn something by now and have not. */
  function hasNoScripts() {
    return document.readyState === "complete" && !document.getElementById("root")?.firstElementChild;
  }

  /** What the server says about a connection from this page; null where it says nothing, which is no reason to blame it. */
  async function askServer() {
    try {
      const answer = await fetch("./connection", { method: "POST" }); // a POST tells where the page is from
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }

  /** The reason, with what is to be put into its text; null while there is none to tell. */
  async function findReason() {
    const waited = performance.now() - begun;
    if (waited < PATIENCE) return null;
    if (hasNoScripts()) return { reason: "no_scripts" };
    const said = await askServer();
    if (said?.refused) return { reason: "refused", origin: location.origin, host: said.host };
    return said && waited > LONGER ? { reason: "no_websocket" } : null;
  }

  function show(found) {
    const box = document.getElementById("connection") ?? document.createElement("div");
    const text = found && texts[language][found.reason].replace(/\{(\w+)\}/g, (_, name) => found[name]);
    if (!text) box.remove();
    if (!text || box.textContent === text) return;
    box.id = "connection";
    box.lang = language;
    box.setAttribute("role", "alert");
    box.style.cssText =
      "position:fixed;z-index:999999;top:0;left:0;right:0;margin:1rem auto;width:min(92%,46rem);box-sizing:border-box;" +
      "padding:1rem;border:2px solid #0b5563;border-radius:0.4rem;background:#fcfcfa;color:#16242b;" +
      "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere";
    document.body.append(box);
    box.textContent = text; // after it is there: so it is read aloud
  }

  async function look() {
    if (!isConnected()) {
      const found = await findReason();
      if (!isConnected()) {
        show(found);
        setTimeout(look, EVERY);
        return;
      }
    }
    show(null); // once connected, Streamlit itself says when it is not any more
  }

  setTimeout(look, EVERY);
})
