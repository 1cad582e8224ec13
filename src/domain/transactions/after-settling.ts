// The answer of a rule that contains a record which settling may still change.

export class AfterSettling<T> {
  constructor(readonly read: () => T) {}
}

/** @param read - Called once, after the decision has settled. */
export function afterSettling<T>(read: () => T): AfterSettling<T> {
  return new AfterSettling(read);
}
