// The headers of every answer, however it is sent, and the headers that pages of other origins may read.

/** An answer's own headers take precedence: the reference page may be cached. */
export const ON_EVERY_REPLY = {
  'cache-control': 'no-store',
  // The CORS headers of an answer depend on the Origin of the request.
  vary: 'Origin',
} as const;

/** Headers that a script of a listed origin may read besides those that browsers always expose. */
export const EXPOSED_HEADERS: readonly string[] = [
  'Accept-Encoding',
  'Accept-Patch',
  'Allow',
  'Countersign-Warning',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'Mcp-Protocol-Version',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Workflow-State-Version',
];
