// Server-Sent Events (WHATWG HTML, section 9.2): events as bytes, and the stream as a reply.
import { callerOf, type Actor } from '../../domain/access/actor.js';
import { ok, type Result } from '../../domain/errors.js';
import type { EventStream } from '../../ports/service.js';
import type { WatchedCaller } from '../caller-watch.js';
import type { Limits } from '../../domain/limits.js';
import type { Reply } from './reply.js';
import type { EventBytes } from './event-bytes.js';
import type { StreamBuffers } from './stream-buffers.js';
import type { TimeSlices } from '../../lib/time-slices.js';

/** What a stream needs of its request. */
interface StreamRequest {
  watched(actor: Actor): WatchedCaller;
  readonly server: {
    readonly limits: Limits;
    readonly streamSlices: TimeSlices;
    readonly eventBytes: EventBytes;
    readonly streamBuffers: StreamBuffers;
  };
}

/** How long a browser waits before it reconnects. */
const RETRY_MS = 1000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer answers would delay events.
  'x-accel-buffering': 'no',
};

const BEGINNING = Buffer.from(`retry: ${String(RETRY_MS)}\n\n`);

async function* chunksOf(
  stream: EventStream,
  bytes: EventBytes,
  slices: TimeSlices,
  watched: WatchedCaller,
): AsyncGenerator<Uint8Array> {
  yield BEGINNING;
  let last = '';
  for await (const events of stream) {
    const pause = slices.yieldIfDue();
    if (pause !== undefined) await pause;
    if (watched.failure !== null) break;
    last = events.at(-1)?.id ?? last;
    yield bytes.ofPage(events);
  }
  if (watched.failure === null) return;
  const { error, detail } = watched.failure;
  yield bytes.ofPage([{ id: last, event: 'dropped', data: { reason: 'refused', error, detail } }]);
}

/**
 * The stream that `open` returns, as a reply. It ends when the client disconnects or the caller is no longer
 * allowed. A failure of `open` is returned as it is.
 */
export async function streamReply(
  request: StreamRequest,
  actor: Actor,
  open: (signal: AbortSignal) => Promise<Result<EventStream>>,
): Promise<Result<Reply>> {
  const controller = new AbortController();
  const stream = await open(controller.signal);
  if (!stream.ok) return stream;
  const watched = request.watched(actor);
  const stop = () => {
    watched.stop();
    controller.abort();
  };
  watched.signal.addEventListener('abort', stop, { once: true });
  const { limits, streamSlices: slices, eventBytes, streamBuffers: buffers } = request.server;
  const dropped = { reason: 'too_slow' };
  return ok({
    status: 200,
    text: null,
    headers: HEADERS,
    stream: {
      chunks: chunksOf(stream.value, eventBytes, slices, watched),
      stop,
      tooSlow: `event: dropped\ndata: ${JSON.stringify(dropped)}\n\n`,
      stallMs: limits.streamStallMs,
      caller: callerOf(actor),
      buffers,
      slices,
    },
  });
}
