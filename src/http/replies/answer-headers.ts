// The headers that every answer has, whatever it is and by whichever way it goes out, and those that pages elsewhere may
// read.

/** An answer's own headers come before these: the reference page may be kept. */
export const ON_EVERY_ANSWER = {
  'cache-control': 'no-store',
  // Whether an answer has CORS headers depends on the Origin of the request.
  vary: 'Origin',
} as const;

/** What a script of a listed origin may read beside the headers that are always open to it. */
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
