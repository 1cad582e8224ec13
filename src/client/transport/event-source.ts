// One stream of Server-Sent Events as it comes over one connection, until that ends.
import { createParser } from 'eventsource-parser';
import type { StreamEvent } from '../../ports/api/index.js';
import type { OpenAnswer } from './transport.js';

/** A message that is longer is not of this service: the largest state with room for its escapes. */
const MESSAGE_CHARACTERS_MAX = 64 * 1024 * 1024;

/** The service says something every few seconds; a connection that is silent for so long has died unnoticed. */
const SILENCE_MS = 60_000;

/** Events as they arrive together. Ends with the connection; throws what the connection throws. */
export async function* eventsOf({ body, close }: OpenAnswer): AsyncGenerator<readonly StreamEvent[]> {
  let events: StreamEvent[] = [];
  const parser = createParser({
    maxBufferSize: MESSAGE_CHARACTERS_MAX,
    onEvent: ({ id, event, data }) => {
      // Parsing: the service says what data goes with which event.
      events.push({ id: id ?? '', event, data: JSON.parse(data) as unknown } as StreamEvent);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const silence = setTimeout(close, SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (events.length === 0) continue;
      const arrived = events;
      events = [];
      yield arrived;
    }
  } finally {
    close();
    await reader.cancel().catch(() => undefined);
  }
}
