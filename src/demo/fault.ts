// What keeps the demonstration from going on, in one plain sentence.
import type { Result } from '../domain/errors.js';

export class DemoFault extends Error {
  override readonly name = 'DemoFault';
}

/**
 * The value of an answer.
 *
 * @throws DemoFault The service refused.
 */
export function valueOrThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new DemoFault(`The service refused (${result.failure.error}): ${result.failure.detail}`);
}
