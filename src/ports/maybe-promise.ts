// A value, or a promise of it. A known value is returned directly: a promise costs a microtask and garbage.

export type MaybePromise<T> = T | Promise<T>;

/** Passes the value to `next`: synchronously if it is known, else when the promise resolves. */
export function after<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
