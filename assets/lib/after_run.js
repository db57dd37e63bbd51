// Helper put in front of a component's own module: send to Python only between two runs.

const LONGEST_WAIT_MS = 8000;
const LOOK_EVERY_MS = 40;

/** Is no script running, and is every element drawn? Streamlit loads a widget's code when the widget is first drawn. */
function isSettled() {
  const app = document.querySelector('[data-testid="stApp"]');
  const running = app !== null && app.dataset.testScriptState !== "notRunning";
  return !running && document.querySelector('[data-testid="stSkeleton"]') === null;
}

/**
 * Call back once the page has settled, or after LONGEST_WAIT_MS. An earlier message would start another run, and a
 * widget that is sent again before it was drawn loses the value that the script has set.
 */
function afterRun(callback) {
  const start = performance.now();
  let settled = 0;
  const look = () => {
    settled = isSettled() ? settled + 1 : 0;
    // Settled twice in a row: between two states of a page there may be a moment that looks like the end.
    if (settled > 1 || performance.now() - start > LONGEST_WAIT_MS) callback();
    else setTimeout(look, LOOK_EVERY_MS);
  };
  setTimeout(look, 0);
}
