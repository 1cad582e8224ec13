// The form of a transition table. Each record with a status has one, in this folder, next to the only function that
// sets that status.

/** The statuses that each status may change to. Keeping a status needs no transition. */
export type Transitions<S extends string> = Readonly<Record<S, readonly S[]>>;

/** Throws if the table does not have the transition: that is a bug, not a failure. */
export function checkTransition<S extends string>(what: string, table: Transitions<S>, from: S, to: S): void {
  if (from === to || table[from].includes(to)) return;
  throw new Error(`a ${what} that is ${from} cannot become ${to}`);
}
