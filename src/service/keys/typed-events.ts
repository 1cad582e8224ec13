// Views of a state's history as changes of its keys.
import type { JsonValue } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';
import { formatPointer } from '../../domain/json/pointer.js';
import type { EventKind, StateEvent } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { operationsByKey } from '../documents/key-versions.js';
import { patchOf } from '../documents/patch-of.js';
import { time } from '../views.js';

const WHOLE: readonly EventKind[] = ['create', 'replace', 'revert', 'migrate'];

/** The changes of one accepted write, one event per key. A write of the whole document is one event. */
export function typedEvents(event: StateEvent): readonly api.KeyEvent[] {
  const patch = patchOf(event);
  const facts = {
    event_id: event.eventId,
    version: event.version,
    session_id: event.sessionId,
    run_id: event.runId,
    created_at: time(event.createdAt),
  };
  const changes = WHOLE.includes(event.kind) ? null : operationsByKey(patch);
  if (changes === null) return [{ ...facts, type: 'full_replace', key: null, patch: plain(patch) }];
  return [...changes].map(([key, operations]) => ({
    ...facts,
    key,
    ...happened(event.kind, key, operations),
  }));
}

type Happened = Pick<api.KeyEvent, 'type' | 'value' | 'items' | 'patch'>;

function happened(kind: EventKind, key: string, operations: Patch): Happened {
  const at = formatPointer([key]);
  const [only] = operations;
  if (operations.length === 1 && only?.path === at) {
    if (only.op === 'remove') return { type: 'delete' };
    if ('value' in only) {
      if (kind === 'key_append') return { type: 'append', items: only.value };
      return { type: kind === 'key_increment' ? 'increment' : 'set', value: only.value };
    }
  }
  if (kind === 'key_append') {
    return {
      type: 'append',
      items: operations.flatMap((operation) => ('value' in operation ? [operation.value] : [])),
    };
  }
  return { type: 'patch', patch: plain(operations) };
}

function plain(patch: Patch): JsonValue {
  return patch.map((operation) => ({ ...operation }));
}
