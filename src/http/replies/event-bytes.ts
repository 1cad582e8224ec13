// Events as bytes, made once and shared by all readers at the same place.
import type { StreamEvent } from '../../ports/api/index.js';
import type { SocketEvent } from './socket-event.js';

/** An entry lives as long as the event that the service gave out; what readers have yet to take counts in `StreamBuffers`. */
export class EventBytes {
  readonly #pages = new WeakMap<readonly StreamEvent[], Buffer>();
  readonly #messages = new WeakMap<SocketEvent, Buffer>();

  /** Server-Sent Events. JSON has no line breaks outside of strings, and none unescaped inside. */
  ofPage(events: readonly StreamEvent[]): Buffer {
    return made(this.#pages, events, () => events.map(eventText).join(''));
  }

  /** A message of a WebSocket but for its beginning, which names the subscription. */
  ofMessage(event: SocketEvent): Buffer {
    return made(
      this.#messages,
      event,
      () =>
        `"type":${JSON.stringify(event.event)},"id":${JSON.stringify(event.id)},"data":${JSON.stringify(event.data)}}`,
    );
  }
}

function made<K extends object>(known: WeakMap<K, Buffer>, key: K, write: () => string): Buffer {
  let bytes = known.get(key);
  if (bytes === undefined) {
    bytes = Buffer.from(write());
    known.set(key, bytes);
  }
  return bytes;
}

function eventText({ id, event, data }: StreamEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
