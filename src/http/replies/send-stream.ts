// Sends a streamed body. Requests the next chunk when the reader has taken the last one. Disconnects a reader
// that takes no data for too long, so that it does not hold resources forever.
import type { ServerResponse } from 'node:http';
import type { StreamBody } from './stream-body.js';

/** Chunks are sent in pieces of this size. What a reader has not taken yet stays in memory that all readers share. */
export const PIECE_BYTES = 64 * 1024;

/** Divisor of the stall time: how long the last event may take. */
export const CLOSING_SHARE = 10;

/** The pieces of a chunk, each in its own time slice. */
export async function* piecesOf(chunk: Uint8Array, { slices }: Pick<StreamBody, 'slices'>) {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    const pause = slices.yieldIfDue();
    if (pause !== undefined) await pause;
    yield chunk.length <= PIECE_BYTES ? chunk : chunk.subarray(at, at + PIECE_BYTES);
  }
}

/** Sends over Node's own response, after the head was written. Never rejects. */
export async function sendStream(outgoing: ServerResponse, body: StreamBody): Promise<void> {
  const reader = new Reader(outgoing, body.stallMs);
  outgoing.once('close', body.stop);
  if (reader.isGone()) body.stop();
  try {
    for await (const chunk of body.chunks) {
      const release = body.buffers.hold(chunk, body.caller, () => reader.drop());
      try {
        for await (const piece of piecesOf(chunk, body)) {
          if (reader.isGone()) return;
          if (await reader.write(piece)) continue;
          if (!reader.isGone()) dropSlowReader(outgoing, body);
          return;
        }
      } finally {
        release();
      }
    }
    outgoing.end();
  } catch {
    // The source of the chunks logs its failure. The reader reconnects and resumes.
    outgoing.destroy();
  } finally {
    body.stop();
  }
}

/** The reader of a response. */
class Reader {
  #dropped = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly outgoing: ServerResponse,
    private readonly stallMs: number,
  ) {}

  isGone(): boolean {
    return this.outgoing.destroyed;
  }

  /** Ends the wait for a reader that takes no data. */
  drop(): void {
    this.#dropped = true;
    this.#wake?.();
  }

  /** False if the reader disconnects, takes no data for `stallMs`, or was dropped. */
  async write(piece: Uint8Array): Promise<boolean> {
    if (this.#dropped) return false;
    return this.#send(piece) || this.#drained();
  }

  /** Sends at once, so that it counts in the time slice. Node would send when all other readers have their piece too. */
  #send(piece: Uint8Array): boolean {
    const { socket } = this.outgoing;
    socket?.cork();
    const isTaken = this.outgoing.write(piece);
    socket?.uncork();
    return isTaken;
  }

  #drained(): Promise<boolean> {
    const { outgoing } = this;
    return new Promise((resolve) => {
      const end = (isDrained: boolean) => {
        clearTimeout(timer);
        outgoing.off('drain', onDrain).off('close', onClose);
        this.#wake = null;
        resolve(isDrained);
      };
      const onDrain = () => end(true);
      const onClose = () => end(false);
      const timer = setTimeout(onClose, this.stallMs);
      this.#wake = onClose;
      outgoing.once('drain', onDrain).once('close', onClose);
      if (outgoing.destroyed) end(false);
    });
  }
}

/** Sends the reason in case the client reads on, and closes the connection in any case. */
function dropSlowReader(outgoing: ServerResponse, { tooSlow, stallMs, buffers }: StreamBody): void {
  buffers.countDropped();
  const timer = setTimeout(() => outgoing.destroy(), stallMs / CLOSING_SHARE);
  outgoing.once('close', () => clearTimeout(timer));
  outgoing.end(tooSlow);
}

/** The body of a fetch response, for requests through Hono. */
export function readableOf(body: StreamBody): ReadableStream<Uint8Array> {
  const pieces = allPieces(body, () => fail('too much is held for the reader'));
  let stalled: NodeJS.Timeout | undefined;
  let fail: (why: string) => void = () => undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      fail = (why) => {
        clearTimeout(stalled);
        body.buffers.countDropped();
        body.stop();
        controller.error(new Error(why));
      };
    },
    async pull(controller) {
      clearTimeout(stalled);
      const piece = await pieces.next();
      if (piece.done === true) {
        controller.close();
        return;
      }
      controller.enqueue(piece.value);
      stalled = setTimeout(() => fail('the reader does not read'), body.stallMs);
      if ((controller.desiredSize ?? 0) > 0) clearTimeout(stalled);
    },
    async cancel() {
      clearTimeout(stalled);
      body.stop();
      await pieces.return(undefined);
    },
  });
}

async function* allPieces(body: StreamBody, drop: () => void): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body.chunks) {
    const release = body.buffers.hold(chunk, body.caller, drop);
    try {
      yield* piecesOf(chunk, body);
    } finally {
      release();
    }
  }
}
