// Helper put in front of a component's own module: what is pressed while an operation is under way is done after it, in the
// order of the presses. The player's steps and the operations share one row.

const turns = (window.pagedKvLabTurns ??= { waiting: [], last: null });

/** Do it as soon as `isFree()` and everything before it is done: now, or when `takeTurns` is called. `id`: of an operation. */
function inTurn(owner, isFree, doIt, id = null) {
  turns.last = id;
  turns.waiting.push({ owner, isFree, doIt, id });
  takeTurns();
}

function takeTurns() {
  while (turns.waiting[0]?.isFree()) turns.waiting.shift().doIt();
}

/** Nothing of this owner waits any more: what it waited for was lost, or it has left the page. */
function dropTurns(owner) {
  turns.waiting = turns.waiting.filter((each) => each.owner !== owner);
}
