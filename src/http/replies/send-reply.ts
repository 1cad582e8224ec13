// Writes an answer to Node's response. Knows nothing of requests or routes.
import type { ServerResponse } from 'node:http';
import type { StreamBody } from './stream-body.js';
import { sendStream } from './send-stream.js';

/** An answer in its final form. */
export interface FinalReply {
  readonly status: number;
  readonly text: string | null;
  /** The length of the text in UTF-8, if known. */
  readonly bytes: number | undefined;
  readonly encoded: Buffer | undefined;
  readonly stream: StreamBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the answer. A stream continues after this returns; for `HEAD` it does not start. */
export function sendReply(outgoing: ServerResponse, answer: FinalReply): void {
  const { status, text, encoded, stream, headers } = answer;
  if (stream !== undefined && outgoing.req.method !== 'HEAD') {
    outgoing.writeHead(status, headers).flushHeaders();
    void sendStream(outgoing, stream);
    return;
  }
  stream?.stop();
  const length = bytesOf(answer);
  const body = encoded ?? text;
  if (body === null) outgoing.writeHead(status, headers).end();
  else
    outgoing
      .writeHead(status, { ...headers, 'content-length': String(length) })
      // A text with as many bytes as characters is ASCII, which is faster to send as Latin-1.
      .end(body, body === text && length === text.length ? 'latin1' : 'utf8');
}

/** The length of the body: of the text in UTF-8, or of what it is encoded as. */
export function bytesOf({ text, bytes, encoded }: Pick<FinalReply, 'text' | 'bytes' | 'encoded'>): number {
  return encoded?.length ?? bytes ?? Buffer.byteLength(text ?? '');
}
