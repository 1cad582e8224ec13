// What keeps the demonstration from going on, in one plain sentence.
import type { Outcome } from '../domain/errors.js';

export class DemoFault extends Error {
  override readonly name = 'DemoFault';
}

/**
 * The value of an answer.
 *
 * @throws DemoFault The service refused.
 */
export function granted<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new DemoFault(`The service refused (${outcome.refusal.error}): ${outcome.refusal.detail}`);
}
