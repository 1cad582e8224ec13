// Server-Sent Events (WHATWG HTML, section 9.2): events as text, and the stream as an answer.
import { accepted, type Outcome } from '../domain/errors.js';
import type { StreamEvent } from '../ports/api/index.js';
import type { EventStream } from '../ports/service.js';
import type { Exchange } from './exchange.js';
import type { Reply } from './reply.js';

/** An answer that goes on: its chunks as they come, and how to end it. */
export interface StreamBody {
  readonly chunks: AsyncIterable<string>;
  readonly stop: () => void;
  /** The last words to a reader that takes nothing. */
  readonly tooSlow: string;
  /** How long a reader may take nothing, milliseconds. */
  readonly stallMs: number;
}

/** How long a browser waits before it connects again. */
const RETRY_MS = 1000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that gather answers would hold events back.
  'x-accel-buffering': 'no',
};

/** Followers at the same place get the same objects: the text is made once for all of them. */
const texts = new WeakMap<StreamEvent, string>();

/** One event as it is sent. JSON has no line breaks outside of strings, and none unescaped inside. */
export function eventText(event: StreamEvent): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = `id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
    texts.set(event, text);
  }
  return text;
}

async function* chunksOf(stream: EventStream): AsyncGenerator<string> {
  yield `retry: ${String(RETRY_MS)}\n\n`;
  for await (const events of stream) yield events.map(eventText).join('');
}

/** The stream that `open` gives, as an answer that ends when the caller goes away; a refusal passes. */
export async function streamReply(
  exchange: Exchange,
  open: (signal: AbortSignal) => Promise<Outcome<EventStream>>,
): Promise<Outcome<Reply>> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const stream = await open(controller.signal);
  if (!stream.ok) return stream;
  const dropped = { reason: 'too_slow' };
  return accepted({
    status: 200,
    text: null,
    headers: HEADERS,
    stream: {
      chunks: chunksOf(stream.value),
      stop,
      tooSlow: `event: dropped\ndata: ${JSON.stringify(dropped)}\n\n`,
      stallMs: exchange.door.limits.streamStallMs,
    },
  });
}
