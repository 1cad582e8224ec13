// A decision that waits for its commit.
import type { Changeset } from '../domain/transactions/changeset.js';
import type { Decide, LoadRequest } from '../domain/transactions/loaded-records.js';

/** A decision to make and write. `answer` is called once the result of the commit is known. */
export interface Request {
  readonly loads: readonly LoadRequest[];
  readonly decide: Decide<unknown>;
  /** When the request was made, on the monotonic clock of the process. */
  readonly since: number;
  readonly answer: (result: Result) => void;
}

export type Result =
  { readonly ok: true; readonly changes: Changeset } | { readonly ok: false; readonly error: unknown };

/** True if the request repairs damaged records, which writes in addition to its changes. */
export function isRepair({ loads }: Request): boolean {
  return loads.some(({ load }) => load === 'repaired');
}

/**
 * A request, and the promise of the value of its decision.
 *
 * @param named - Converts an error of the commit into the one that the caller gets.
 */
export function requestOf<T>(
  loads: readonly LoadRequest[],
  decide: Decide<T>,
  named: (error: unknown) => Error,
): { readonly request: Request; readonly value: Promise<T> } {
  const { promise, resolve, reject } = promised<T>();
  let value: { readonly of: T } | null = null;
  const request: Request = {
    loads,
    since: performance.now(),
    decide: (records) => {
      const decision = decide(records);
      if ('value' in decision) value = { of: decision.value };
      return decision;
    },
    answer: (result) => {
      if (result.ok && value !== null) resolve(value.of);
      else reject(result.ok ? new Error('The decision was never made') : named(result.error));
    },
  };
  return { request, value: promise };
}

function promised<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
