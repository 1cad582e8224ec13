// Sends an answer that goes on. The next chunk is asked for when the last is taken; a reader that takes nothing for too
// long is dropped, so that it holds nothing for ever.
import type { ServerResponse } from 'node:http';
import type { StreamBody } from './event-stream.js';

/** Over Node's own response; the head is written. Never rejects. */
export async function sendStream(outgoing: ServerResponse, body: StreamBody): Promise<void> {
  outgoing.once('close', body.stop);
  const isGone = () => outgoing.destroyed;
  if (isGone()) body.stop();
  try {
    for await (const chunk of body.chunks) {
      if (isGone()) return;
      if (outgoing.write(chunk) || (await isTaken(outgoing, body.stallMs))) continue;
      if (!isGone()) letGo(outgoing, body);
      return;
    }
    outgoing.end();
  } catch {
    // What failed is in the log of whoever made the chunks; the reader resumes elsewhere.
    outgoing.destroy();
  } finally {
    body.stop();
  }
}

/** False where the reader goes away, or takes nothing for `stallMs`. */
function isTaken(outgoing: ServerResponse, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (taken: boolean) => {
      clearTimeout(timer);
      outgoing.off('drain', onDrain).off('close', onClose);
      resolve(taken);
    };
    const onDrain = () => end(true);
    const onClose = () => end(false);
    const timer = setTimeout(onClose, stallMs);
    outgoing.once('drain', onDrain).once('close', onClose);
    if (outgoing.destroyed) end(false);
  });
}

/** Says why, for the case that it reads on, and closes whether it does or not. */
function letGo(outgoing: ServerResponse, { tooSlow, stallMs }: StreamBody): void {
  const timer = setTimeout(() => outgoing.destroy(), stallMs);
  outgoing.once('close', () => clearTimeout(timer));
  outgoing.end(tooSlow);
}

/** As the body of a fetch response, for requests that come through Hono. */
export function readableOf(body: StreamBody): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks = body.chunks[Symbol.asyncIterator]();
  let stalled: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(stalled);
      const chunk = await chunks.next();
      if (chunk.done === true) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(chunk.value));
      stalled = setTimeout(() => {
        body.stop();
        controller.error(new Error('the reader takes nothing'));
      }, body.stallMs);
      if ((controller.desiredSize ?? 0) > 0) clearTimeout(stalled);
    },
    async cancel() {
      clearTimeout(stalled);
      body.stop();
      await chunks.return?.();
    },
  });
}
