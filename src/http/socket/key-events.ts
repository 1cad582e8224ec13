// A stream of one top-level member: the changes of its state after which the member has another value.
import { ok, type Result, type Failure } from '../../domain/errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer, overlaps } from '../../domain/json/pointer.js';
import type { JsonPatch } from '../../ports/api/index.js';
import type { Countersign, StreamOptions } from '../../ports/service.js';
import type { SocketEvent } from '../replies/socket-event.js';

/**
 * @returns The stream; or the failure of the state's stream. Bookmarks and failures of the state's stream are
 * passed on.
 */
export async function followKey(
  service: Countersign,
  stateId: string,
  key: string,
  options: StreamOptions,
): Promise<Result<AsyncIterable<readonly SocketEvent[]>>> {
  const stream = await service.streams.state(stateId, { ...options, snapshot: false });
  if (!stream.ok) return stream;
  return ok(keyEvents(service, stateId, key, stream.value));
}

async function* keyEvents(
  service: Countersign,
  stateId: string,
  key: string,
  stream: AsyncIterable<readonly SocketEvent[]>,
): AsyncGenerator<readonly SocketEvent[]> {
  const pointer = formatPointer([key]);
  /** `undefined` if the key did not exist at that version. Other failures are returned. */
  const valueAt = async (version: number): Promise<Result<JsonValue | undefined>> => {
    if (version < 1) return ok(undefined);
    const found = await service.states.getAt(stateId, pointer, version);
    if (found.ok) return ok(found.value.value);
    return found.failure.error === 'pointer_not_found' ? ok(undefined) : found;
  };
  /** The last value sent; `null` if unknown, and then the next change is sent. */
  let last: { readonly value: JsonValue | undefined } | null = null;
  /** The last event that was looked at; `null` before the first. */
  let id: string | null = null;
  for await (const events of stream) {
    const changes: SocketEvent[] = [];
    for (const event of events) {
      if (id === null) {
        const first = await valueAt(Number(event.id));
        last = first.ok ? first : null;
        id = event.id;
      }
      if (event.event !== 'workflow_state_updated') {
        changes.push(event);
        continue;
      }
      if (!touches(event.data.patch, pointer)) continue;
      const version = Number(event.id);
      const found = await valueAt(version);
      if (!found.ok) {
        yield [...changes, dropped(id, found.failure)];
        return;
      }
      id = event.id;
      const { value } = found;
      if (last !== null && isSame(value, last.value)) continue;
      changes.push(
        value === undefined
          ? { id: event.id, event: 'state_key_deleted', data: { key, version } }
          : { id: event.id, event: 'state_key_updated', data: { key, value, version } },
      );
      last = found;
    }
    if (changes.length > 0) yield changes;
  }
}

/** The end of a subscription, in the form in which the stream of a state ends. */
function dropped(id: string, { error, detail, members }: Failure): SocketEvent {
  return { id, event: 'dropped', data: { reason: 'refused', ...(members as JsonObject), error, detail } };
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === undefined || other === undefined ? one === other : jsonEqual(one, other);
}

/** True if a JSON Patch may have changed the value at a pointer. */
function touches(patch: JsonPatch, pointer: string): boolean {
  return patch.some(
    (operation) =>
      overlaps(operation.path, pointer) || ('from' in operation && overlaps(operation.from, pointer)),
  );
}
