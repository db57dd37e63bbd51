// Helper put in front of browser_store.js: merge two records that two tabs have made from the same one, by what each
// has added. What is in a record is said in lab/activities/record.py.

const MAX_REPEATS = 200;

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** An attempt's text in its parts, see lab/activities/attempt.py; null if it is none. */
function readAttempt(text) {
  const match = /^2\.(.+)_([^_]*)_([^_]*)$/.exec(typeof text === "string" ? text : "");
  if (!match) return null;
  const [, activity, answers, log] = match;
  const operations = log.split(".").flatMap((each) => {
    const [once, times] = each.split("-");
    return Array(Math.min(Number(times ?? 1), MAX_REPEATS)).fill(once);
  });
  return { activity, answers: answers ? answers.split(".") : [], operations: log ? operations : [] };
}

/** Does the attempt `text` continue the attempt `from`, or equal it? */
function goesOn(text, from) {
  const [here, there] = [text, from].map(readAttempt);
  if (!here || !there || here.activity !== there.activity) return false;
  const isSame = (answer, i) => here.answers[i] === answer || here.answers[i]?.replace(/[gts]$/, "") === answer;
  return there.answers.every(isSame) && there.operations.every((each, i) => here.operations[i] === each);
}

// Which of two values stands, if both tabs have changed the one of `base`; undefined: none.

/** The further attempt; of two different ones the one stored first; but one begun anew before one gone on with. */
function pickAttempt(base, mine, theirs) {
  if (theirs === undefined) return goesOn(mine, base) ? undefined : mine;
  if (mine === undefined) return goesOn(theirs, base) ? undefined : theirs;
  if (goesOn(mine, theirs)) return mine;
  return goesOn(theirs, base) && !goesOn(mine, base) ? mine : theirs;
}

/** The answer stored first. */
const pickAnswer = (base, mine, theirs) => theirs ?? mine;

const pickMine = (base, mine, theirs) => (mine === undefined ? theirs : mine);

/** How often each item occurs in a list, by its JSON text. */
function counts(list) {
  const found = new Map();
  for (const item of list) {
    const text = JSON.stringify(item);
    found.set(text, (found.get(text) ?? 0) + 1);
  }
  return found;
}

/** Apply the changes from `base` to `mine` to `theirs`: drop what I removed, add what I added and they did not. */
function mergeLists(base, mine, theirs) {
  const [was, here, there] = [counts(base), counts(mine), counts(theirs)];
  const left = new Map();
  for (const text of new Set([...here.keys(), ...there.keys()])) {
    const [before, my, their] = [was, here, there].map((each) => each.get(text) ?? 0);
    left.set(text, my < before ? Math.min(my, their) : Math.max(their, Math.min(my, their + my - before)));
  }
  return [...theirs, ...mine].filter((item) => {
    const text = JSON.stringify(item);
    const more = left.get(text);
    left.set(text, more - 1);
    return more > 0;
  });
}

/** Apply the changes from `base` to `mine` to `theirs`. `pick` decides if both changed the same value. */
function mergeValues(base, mine, theirs, pick = pickMine) {
  const [was, here, there] = [base, mine, theirs].map((each) => JSON.stringify(each));
  if (here === was || here === there) return theirs;
  if (there === was) return mine;
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(Array.isArray(base) ? base : [], mine, theirs);
  if (!isMap(mine) || !isMap(theirs)) return pick(base, mine, theirs);
  const before = isMap(base) ? base : {};
  const merged = new Map();
  // Their keys first, so that my newest ones stay last.
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [b, m, t] = [before, mine, theirs].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
    const value = mergeValues(b, m, t, pick);
    if (value !== undefined) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** Merge two records that were made from `base`: apply the changes from it to `mine` to `theirs`. */
function merge(base, mine, theirs) {
  const merged = { ...mergeValues(base, mine, theirs) };
  for (const [name, pick] of [["attempts", pickAttempt], ["answers", pickAnswer]]) {
    const [b, m, t] = [base, mine, theirs].map((record) => (isMap(record[name]) ? record[name] : {}));
    const found = mergeValues(b, m, t, pick);
    if (isMap(mine[name]) || isMap(theirs[name])) merged[name] = found;
    if (isMap(merged[name]) && !Object.keys(merged[name]).length) delete merged[name];
  }
  return merged;
}
