// Every call of the service, changed in one thing: it gives its value, or throws what would be its refusal.
import type { Outcome } from '../domain/errors.js';
import { CountersignError } from './countersign-error.js';

/** A last argument of which nothing has to be said may be left out. */
type Arguments<A extends readonly unknown[]> = A extends readonly [...infer Head, infer Last]
  ? object extends Last
    ? [...Head, Last?]
    : A
  : A;

type Value<R> = Awaited<R> extends Outcome<infer T> ? T : never;

/** A group of calls that give their values. */
export type Throwing<G> = {
  readonly [N in keyof G]: G[N] extends (...args: infer A) => infer R
    ? (...args: Arguments<A>) => Promise<Value<R>>
    : never;
};

/** All groups of a service. */
export type ThrowingService<S> = { readonly [N in keyof S]: Throwing<S[N]> };

/**
 * The same calls, each of which gives its value.
 *
 * @throws CountersignError - From the calls, where the service refuses.
 */
export function throwing<G extends object>(group: G): Throwing<G> {
  const calls = Object.entries(group).map(([name, call]: [string, Call]) => [
    name,
    async (...args: unknown[]) => valueOf(await call(...args)),
  ]);
  return Object.fromEntries(calls) as Throwing<G>;
}

type Call = (...args: unknown[]) => Promise<Outcome<unknown>>;

/** @throws CountersignError - Where it is a refusal. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new CountersignError(outcome.refusal);
}
