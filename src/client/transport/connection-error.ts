// What a lost connection is. Refusals are values and never come as this.

/**
 * unreachable: nothing answered, or the connection broke. timeout: no answer in time. aborted: the caller gave up.
 * not_understood: something answered, but it is not this service, or one of another age.
 */
export type ConnectionFault = 'unreachable' | 'timeout' | 'aborted' | 'not_understood';

/** Thrown when it is not known whether a command was carried out, because no answer of the service came back. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly fault: ConnectionFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
