// One stream of Server-Sent Events over one connection. Reconnecting is in `calls/streams.ts`.
import { createParser } from 'eventsource-parser';
import { isJsonObject, parsedJson, type JsonObject } from '../../domain/json/json.js';
import type { StreamEvent } from '../../ports/api/index.js';
import { ConnectionError } from './connection-error.js';
import type { OpenReply } from './transport.js';

/** The largest state with room for JSON escapes. A longer message does not come from this service. */
const MESSAGE_CHARACTERS_MAX = 64 * 1024 * 1024;

/** The service sends something every few seconds. A connection that is silent for this long is dead. */
const SILENCE_MS = 60_000;

/**
 * Yields the events of each chunk together. Ends when the connection ends; rethrows its error.
 *
 * @throws ConnectionError - The data of an event is no JSON object: it does not come from this service.
 */
export async function* eventsOf({ body, close }: OpenReply): AsyncGenerator<readonly StreamEvent[]> {
  let events: StreamEvent[] = [];
  const parser = createParser({
    maxBufferSize: MESSAGE_CHARACTERS_MAX,
    onEvent: ({ id, event, data }) => {
      // Parsing: the event name determines the type of the data.
      events.push({ id: id ?? '', event, data: dataOf(data) } as StreamEvent);
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

function dataOf(text: string): JsonObject {
  const data = parsedJson(text);
  if (isJsonObject(data)) return data;
  throw new ConnectionError(
    'not_understood',
    'What sends the stream is not Countersign: the data of an event is no JSON object',
  );
}
