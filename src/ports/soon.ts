// A value, or a promise of it. A known value is returned directly: a promise costs a microtask and garbage.

export type Soon<T> = T | Promise<T>;

/** Passes the value to `next`: synchronously if it is known, else when the promise resolves. */
export function after<A, B>(value: Soon<A>, next: (value: A) => Soon<B>): Soon<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
