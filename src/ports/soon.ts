// Answers that may be there already. What is known is given at once: a promise costs a turn of the queue and garbage.

export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there. */
export function after<A, B>(value: Soon<A>, next: (value: A) => Soon<B>): Soon<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
