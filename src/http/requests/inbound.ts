// A request as an adapter brings it: over Hono's fetch (in process, and whatever is not plain), or straight from Node.
import type { IncomingMessage } from 'node:http';
import type { TextMembers } from './validate.js';

export interface Inbound {
  readonly method: string;
  readonly path: string;
  /** False where the path is not percent-encoded UTF-8: nobody can tell what its parameters are. */
  readonly decodable: boolean;
  /** The query string without its `?`; `null` where there is none. */
  readonly search: string | null;
  /** The request as Node has it; absent in process. */
  readonly message: IncomingMessage | undefined;
  /** The host that the request is for; `null` where it names none, or more than one. */
  readonly host: string | null;
  /** Ends when the caller goes away. */
  readonly gone: AbortSignal;
  /** Ends when the server stops. */
  readonly stopping: AbortSignal | undefined;
  /** A header by its lower-case name. */
  header(name: string): string | null;
  /** The parameters in the path; `null` where there are none. */
  params(): TextMembers | null;
  /** The body where there is neither that nor a message; `null` for none. */
  stream(): ReadableStream<Uint8Array> | null;
}
