// The answer of a rule that shows a record which settling may still change.

export class AfterSettling<T> {
  constructor(readonly read: () => T) {}
}

/** @param read - Called once, when the decision has settled. */
export function afterSettling<T>(read: () => T): AfterSettling<T> {
  return new AfterSettling(read);
}
