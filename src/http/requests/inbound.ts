// A request as the handlers see it: from Hono, or from Node's message if Hono cannot route it.
import type { IncomingMessage } from 'node:http';
import type { TextMembers } from './validation/validate.js';

export interface Inbound {
  readonly method: string;
  readonly path: string;
  /** False if the path is not percent-encoded UTF-8, so that its parameters cannot be determined. */
  readonly decodable: boolean;
  /** The query string without its `?`; `null` if there is none. */
  readonly search: string | null;
  /** The request as Node's message; absent in process. */
  readonly message: IncomingMessage | undefined;
  /** The requested host; `null` if the request names none, or more than one. */
  readonly host: string | null;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal | undefined;
  /** A header by its lower-case name. */
  header(name: string): string | null;
  /** The parameters in the path; `null` if there are none. */
  params(): TextMembers | null;
  /** The body if there is no message; `null` for none. */
  stream(): ReadableStream<Uint8Array> | null;
}
