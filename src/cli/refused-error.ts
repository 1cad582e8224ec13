// The service refused a request that a command makes before its own. `clientCommand` prints the failure.
import type { Failure } from '../domain/errors.js';

export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}
