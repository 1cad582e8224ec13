// The error of a lost connection. Failures that the service reports are values, never this error.

/**
 * unreachable: no reply, or the connection broke. timeout: no reply in time. aborted: the caller aborted.
 * not_understood: the reply is not from this service, or from an incompatible version.
 */
export type ConnectionFault = 'unreachable' | 'timeout' | 'aborted' | 'not_understood';

/**
 * Thrown if no reply of the service arrives. It is then unknown whether the service executed the command.
 *
 * @example
 * ```ts
 * try {
 *   await countersign.states.get(stateId);
 * } catch (error) {
 *   if (error instanceof ConnectionError && error.fault === 'unreachable') console.error('is the service running?');
 *   else throw error;
 * }
 * ```
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** How long a gateway without its service asks to wait before a retry (`Retry-After`), milliseconds; else 0. */
  readonly retryAfterMs: number;

  constructor(
    readonly fault: ConnectionFault,
    message: string,
    { retryAfterMs = 0, ...options }: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
