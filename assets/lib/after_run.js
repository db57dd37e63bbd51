// Helper put in front of a component's own module: speak to Python only between its runs.

const LONGEST_WAIT_MS = 8000;
const LOOK_EVERY_MS = 40;

/** Whether no script runs and every element is drawn: Streamlit loads a widget's code when it first needs it. */
function isSettled() {
  const app = document.querySelector('[data-testid="stApp"]');
  const running = app !== null && app.dataset.testScriptState !== "notRunning";
  return !running && document.querySelector('[data-testid="stSkeleton"]') === null;
}

/**
 * Call back once the page has settled, or after LONGEST_WAIT_MS. A message sent earlier starts another run, and a
 * widget that is sent again before it was drawn loses the value that the script had given it.
 */
function afterRun(callback) {
  const start = performance.now();
  let settled = 0;
  const look = () => {
    settled = isSettled() ? settled + 1 : 0;
    // Twice in a row: between two states of a page there may be an instant that looks like the end.
    if (settled > 1 || performance.now() - start > LONGEST_WAIT_MS) callback();
    else setTimeout(look, LOOK_EVERY_MS);
  };
  setTimeout(look, 0);
}
