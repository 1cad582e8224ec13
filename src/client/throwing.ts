// Wraps the calls of the service: each returns its value, or throws its failure.
import type { Result } from '../domain/errors.js';
import { CountersignError } from './countersign-error.js';

/** Makes the last argument optional if an empty object satisfies it. */
type Arguments<A extends readonly unknown[]> = A extends readonly [...infer Head, infer Last]
  ? object extends Last
    ? [...Head, Last?]
    : A
  : A;

type Value<R> = Awaited<R> extends Result<infer T> ? T : never;

/** A group of calls that return their values. */
export type Throwing<G> = {
  readonly [N in keyof G]: G[N] extends (...args: infer A) => infer R
    ? (...args: Arguments<A>) => Promise<Value<R>>
    : never;
};

/** All groups of a service. */
export type ThrowingService<S> = { readonly [N in keyof S]: Throwing<S[N]> };

/**
 * Wraps each call of a group so that it returns its value.
 *
 * @throws CountersignError - From each call, if the service rejects it.
 */
export function throwing<G extends object>(group: G): Throwing<G> {
  const calls = Object.entries(group).map(([name, call]: [string, Call]) => [
    name,
    async (...args: unknown[]) => valueOf(await call(...args)),
  ]);
  return Object.fromEntries(calls) as Throwing<G>;
}

type Call = (...args: unknown[]) => Promise<Result<unknown>>;

/** @throws CountersignError - If the result is a failure. */
export function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new CountersignError(result.failure);
}
