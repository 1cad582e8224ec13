// Ids of requests, to find an answer in the log.
import { randomBytes } from 'node:crypto';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:@/+=-]{0,127}$/;
const START_BYTES = 6;

/** Creates ids of one start of the service: eight characters for the start, then a number. Not secrets. */
export class RequestIds {
  readonly #prefix = `req_${randomBytes(START_BYTES).toString('base64url')}_`;
  #count = 0;

  /** @returns The caller's `X-Request-Id` if it is safe for a log, else a new id. */
  of(header: string | null): string {
    if (header !== null && SANE.test(header)) return header;
    this.#count += 1;
    return this.#prefix + this.#count.toString(36);
  }
}
