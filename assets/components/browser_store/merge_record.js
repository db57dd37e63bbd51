// Helper put in front of browser_store.js: merge two records that two tabs have made from the same one.

// Answers that are given once for each name. If two tabs gave different ones, the one stored first stands, unless the
// other continues it. The value of the same name in the second map comes from the same tab.
const ANSWERED_ONCE = [
  ["committed", "ran"], // the prediction for a scenario, and how far it has been run
  ["rounds", "rounds_sure"], // the answers to a quiz round, and how sure each was
  ["checks"], // the answer to a quick question
];

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Does `text` continue `from`? The parts of a run and of a round are joined by `_` and `.`. */
function goesOn(text, from) {
  if (typeof text !== "string" || typeof from !== "string" || !text.startsWith(from)) return false;
  return from.endsWith("_") || /^[_.]/.test(text.slice(from.length));
}

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

/** Apply the changes from `base` to `mine` to `theirs`. If both changed it, mine wins unless theirs continues it. */
function mergeValues(base, mine, theirs) {
  const [was, here, there] = [base, mine, theirs].map((each) => JSON.stringify(each));
  if (here === was || here === there) return theirs;
  if (there === was) return mine;
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(Array.isArray(base) ? base : [], mine, theirs);
  if (!isMap(mine) || !isMap(theirs)) return mine === undefined || goesOn(theirs, mine) ? theirs : mine;
  const before = isMap(base) ? base : {};
  const merged = new Map();
  // Their keys first, so that my newest ones stay last.
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [b, m, t] = [before, mine, theirs].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
    const value = mergeValues(b, m, t);
    if (value !== undefined) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** The answers by name: the key in a map; in a list of texts the part before the first `_`. */
function byName(answers) {
  if (Array.isArray(answers)) return new Map(answers.map((text) => [String(text).split("_")[0], text]));
  return new Map(isMap(answers) ? Object.entries(answers) : []);
}

/** Of two different answers under one name, does mine stand? */
function mineStands(base, mine, theirs) {
  if (mine === base || theirs === base) return theirs === base;
  return theirs === undefined || goesOn(mine, theirs);
}

/** A copy of the map with this value under the name; without the name if the value is undefined. */
function withValue(map, name, value) {
  const entries = new Map(isMap(map) ? Object.entries(map) : []);
  if (value === undefined) entries.delete(name);
  else entries.set(name, value);
  return Object.fromEntries(entries);
}

/** Merge two records that were made from `base`: apply the changes from it to `mine` to `theirs`. */
function merge(base, mine, theirs) {
  const merged = { ...mergeValues(base, mine, theirs) };
  for (const [key, belonging] of ANSWERED_ONCE) {
    const [was, here, there] = [base, mine, theirs].map((record) => byName(record[key]));
    for (const name of new Set([...here.keys(), ...there.keys()])) {
      const [b, m, t] = [was, here, there].map((answers) => answers.get(name));
      if (m === t) continue;
      const [stands, falls, record] = mineStands(b, m, t) ? [m, t, mine] : [t, m, theirs];
      if (Array.isArray(merged[key])) merged[key] = merged[key].filter((text) => text !== falls);
      else if (key in merged) merged[key] = withValue(merged[key], name, stands);
      const value = byName(record[belonging]).get(name);
      if (merged[belonging]) merged[belonging] = withValue(merged[belonging], name, value);
    }
  }
  return merged;
}
