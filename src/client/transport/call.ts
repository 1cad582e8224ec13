// One call of the service, before it becomes a request.
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path segments, not yet encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `application/json` by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the call asks the service to wait, milliseconds; added to the time limit. */
  readonly waitMs?: number;
  /** Replaces query or body in a retry, when only `waitMs` of the wait is left. */
  readonly waiting?: (waitMs: number) => Pick<Call, 'query' | 'body'>;
  /** The request changes nothing despite its method, so a retry needs no idempotency key. */
  readonly safe?: boolean;
  /** A DELETE that needs an idempotency key: a retry could delete a successor of the same name. */
  readonly keyed?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export const get = (...path: readonly string[]) => ({ method: 'GET', path }) as const;
export const post = (...path: readonly string[]) => ({ method: 'POST', path }) as const;
