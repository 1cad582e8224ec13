// Why a decision ends before its rule has returned.
import type { LoadRequest } from './loaded-records.js';

/** The decision was prepared on records that have changed, or lacks an input: prepare it again. */
export const STALE = Symbol('stale');

/** Thrown inside a decision to end it early. Never leaves the decision. */
export class Interrupted extends Error {
  constructor(readonly answer: { readonly more: readonly LoadRequest[] } | typeof STALE) {
    super('the decision cannot be made yet');
  }
}
