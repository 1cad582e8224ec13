// One top-level member of a document as a stream of its own: the changes of its state that leave another value there.
import { accepted, type Outcome } from '../../domain/errors.js';
import { isJsonArray, isJsonObject, jsonEqual, type JsonValue } from '../../domain/json.js';
import { formatPointer, overlaps } from '../../domain/pointer.js';
import type { Countersign, StreamOptions } from '../../ports/service.js';
import type { SocketEvent } from './socket-event.js';

/** @returns The stream; or why the state cannot be followed. Refusals and bookmarks of the state's stream pass. */
export async function followKey(
  service: Countersign,
  stateId: string,
  key: string,
  options: StreamOptions,
): Promise<Outcome<AsyncIterable<readonly SocketEvent[]>>> {
  const stream = await service.streams.state(stateId, { ...options, snapshot: false });
  if (!stream.ok) return stream;
  return accepted(keyEvents(service, stateId, key, stream.value));
}

async function* keyEvents(
  service: Countersign,
  stateId: string,
  key: string,
  stream: AsyncIterable<readonly SocketEvent[]>,
): AsyncGenerator<readonly SocketEvent[]> {
  const pointer = formatPointer([key]);
  const valueAt = async (version: number) => {
    if (version < 1) return undefined;
    const found = await service.states.getAt(stateId, pointer, version);
    return found.ok ? found.value.value : undefined;
  };
  let last: JsonValue | undefined;
  let begun = false;
  for await (const events of stream) {
    const told: SocketEvent[] = [];
    for (const event of events) {
      if (!begun) {
        last = await valueAt(Number(event.id));
        begun = true;
      }
      if (event.event !== 'workflow_state_updated') {
        told.push(event);
        continue;
      }
      if (!touches(event.data['patch'], pointer)) continue;
      const version = Number(event.id);
      const value = await valueAt(version);
      if (value === undefined ? last === undefined : last !== undefined && jsonEqual(value, last)) continue;
      told.push(
        value === undefined
          ? { id: event.id, event: 'state_key_deleted', data: { key, version } }
          : { id: event.id, event: 'state_key_updated', data: { key, value, version } },
      );
      last = value;
    }
    if (told.length > 0) yield told;
  }
}

/** Whether a JSON Patch may have changed what is at a place; one that cannot be read may. */
function touches(patch: JsonValue | undefined, pointer: string): boolean {
  if (!isJsonArray(patch)) return true;
  return patch.some((operation) => {
    if (!isJsonObject(operation)) return true;
    return [operation['path'], operation['from']].some(
      (place) => typeof place === 'string' && overlaps(place, pointer),
    );
  });
}
