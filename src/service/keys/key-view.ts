// Views of keys, in the form of the API.
import { ownMember, type JsonObject } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { WriteResult } from '../writes/prepare-write.js';
import { TimeTexts } from '../states/time-texts.js';
import { time, warningsView } from '../views.js';
import type { KeyFacts, KeyVersions } from '../documents/key-versions.js';

/** After this many keys, the event loop may run other work. */
const KEYS_PER_STEP = 1000;

interface Shown {
  readonly head: StateHead;
  readonly document: JsonObject;
}

function factsView(facts: KeyFacts | undefined, head: StateHead, timeText = time) {
  return {
    version: facts?.version ?? head.version,
    updated_at: timeText(facts?.updatedAt ?? head.updatedAt),
    updated_by: facts?.updatedBy ?? null,
  };
}

/** All keys of the document. */
export async function keysView(
  versions: KeyVersions,
  { head, document }: Shown,
  slices: TimeSlices,
): Promise<api.KeysView> {
  const facts = await versions.of(head, document);
  // Most keys of a document were written at the same time.
  const times = new TimeTexts();
  const timeText = (ms: number) => times.of(ms);
  const keys: [string, api.KeysView['keys'][string]][] = [];
  for (const [key, value] of Object.entries(document)) {
    const pause = keys.length % KEYS_PER_STEP === 0 ? slices.yieldIfDue() : undefined;
    if (pause !== undefined) await pause;
    keys.push([key, { value, ...factsView(facts.get(key), head, timeText) }]);
  }
  return {
    root_session_id: head.rootSessionId,
    state_id: head.stateId,
    keys: Object.fromEntries(keys),
    global_version: head.version,
  };
}

/** One key; `null` if the document does not have it. */
export async function keyView(
  versions: KeyVersions,
  { head, document }: Shown,
  key: string,
): Promise<api.KeyView | null> {
  const value = ownMember(document, key);
  if (value === undefined) return null;
  const facts = await versions.of(head, document);
  return {
    root_session_id: head.rootSessionId,
    state_id: head.stateId,
    key,
    value,
    ...factsView(facts.get(key), head),
  };
}

/** A key after a write. If the write changed the key, its facts come from the new head without a search. */
export async function keyWritten(
  versions: KeyVersions,
  { head, document, changed, warnings, merged }: Shown & Pick<WriteResult, 'changed' | 'warnings' | 'merged'>,
  key: string,
): Promise<api.KeyWritten> {
  const value = ownMember(document, key);
  const isSearched = value !== undefined && !changed;
  const facts = isSearched ? (await versions.of(head, document)).get(key) : head;
  return {
    root_session_id: head.rootSessionId,
    state_id: head.stateId,
    key,
    ...(value === undefined ? {} : { value, ...factsView(facts, head) }),
    changed,
    global_version: head.version,
    ...(merged === undefined ? {} : { merged }),
    ...warningsView(warnings),
  };
}
