// A value, or a promise of it. A known value is returned directly: a promise costs a microtask and garbage.
import type { Result } from '../domain/errors.js';

export type MaybePromise<T> = T | Promise<T>;

/** Passes the value to `next`: synchronously if it is known, else when the promise resolves. */
export function after<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Passes the value of a result to `next`, like `after`; returns a failure unchanged. */
export function afterOk<A, B>(
  result: MaybePromise<Result<A>>,
  next: (value: A) => MaybePromise<Result<B>>,
): MaybePromise<Result<B>> {
  return after(result, (found): MaybePromise<Result<B>> => (found.ok ? next(found.value) : found));
}
