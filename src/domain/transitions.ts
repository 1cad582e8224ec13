// What a transition table is. Each record with a status has one, beside the only function that sets that status.

/** What each status may become. To stay as it is needs no transition. */
export type Transitions<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Throws where a record would make a transition that its table does not have: that is a bug, and no refusal. */
export function checkTransition<S extends string>(what: string, table: Transitions<S>, from: S, to: S): void {
  if (from === to || table[from].includes(to)) return;
  throw new Error(`a ${what} that is ${from} cannot become ${to}`);
}
