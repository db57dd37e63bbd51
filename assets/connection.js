// Explains why the page cannot connect to its server. The script is part of index.html, so that it runs even if no
// other script can be loaded. index.html passes it `texts`, by language.
(function (texts) {
  const CHECK_MS = 2000; // between two checks
  const PATIENCE_MS = 6000; // before the script asks the server
  const NO_WEBSOCKET_MS = 14000; // before it concludes that no websocket gets through, though none was refused

  const chosen = new URLSearchParams(location.search).get("lang") ?? "";
  const language = texts[chosen] ? chosen : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  const begun = performance.now();

  function isConnected() {
    return document.querySelector('[data-test-connection-state="CONNECTED"]') !== null;
  }

  /** Is the document complete although Streamlit's scripts have drawn nothing? */
  function hasNoScripts() {
    return document.readyState === "complete" && !document.getElementById("root")?.firstElementChild;
  }

  /** Ask the server about a connection from this page; null without an answer, which proves nothing. */
  async function askServer() {
    try {
      const answer = await fetch("./connection", { method: "POST" }); // a POST sends the page's origin
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }

  /** The reason with the values for its text; null while there is none to show. */
  async function findReason() {
    const waited = performance.now() - begun;
    if (waited < PATIENCE_MS) return null;
    if (hasNoScripts()) return { reason: "no_scripts" };
    const answer = await askServer();
    if (answer?.refused) return { reason: "refused", origin: location.origin, host: answer.host };
    return answer && waited > NO_WEBSOCKET_MS ? { reason: "no_websocket" } : null;
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
    box.textContent = text; // set after the box is on the page, so that it is announced
  }

  async function look() {
    if (!isConnected()) {
      const found = await findReason();
      if (!isConnected()) {
        show(found);
        setTimeout(look, CHECK_MS);
        return;
      }
    }
    show(null); // once connected, Streamlit itself reports a lost connection
  }

  setTimeout(look, CHECK_MS);
})
