// Keys as the wire shows them.
import type { JsonObject } from '../../domain/json.js';
import type { StateHead } from '../../domain/records.js';
import type * as api from '../../ports/api/index.js';
import type { WriteResult } from '../prepare-write.js';
import { warningsView } from '../views.js';
import { own, type KeyFacts, type KeyVersions } from './key-versions.js';

interface Shown {
  readonly head: StateHead;
  readonly document: JsonObject;
}

function factsView(facts: KeyFacts | undefined, head: StateHead) {
  return {
    version: facts?.version ?? head.version,
    updated_at: new Date(facts?.updatedAt ?? head.updatedAt).toISOString(),
    updated_by: facts?.updatedBy ?? null,
  };
}

/** Every key of the document. */
export async function keysView(versions: KeyVersions, { head, document }: Shown): Promise<api.KeysView> {
  const facts = await versions.of(head, document);
  const keys = Object.entries(document).map(([key, value]) => [
    key,
    { value, ...factsView(facts.get(key), head) },
  ]);
  return {
    root_session_id: head.rootSessionId,
    state_id: head.stateId,
    keys: Object.fromEntries(keys) as api.KeysView['keys'],
    global_version: head.version,
  };
}

/** One key; `null` where the document has none of this name. */
export async function keyView(
  versions: KeyVersions,
  { head, document }: Shown,
  key: string,
): Promise<api.KeyView | null> {
  const value = own(document, key);
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

/** A key as a write has left it. What was changed just now needs no looking up. */
export async function keyWritten(
  versions: KeyVersions,
  { head, document, changed, warnings }: Shown & Pick<WriteResult, 'changed' | 'warnings'>,
  key: string,
): Promise<api.KeyWritten> {
  const place = { root_session_id: head.rootSessionId, state_id: head.stateId, key };
  const value = own(document, key);
  const outcome = { changed, global_version: head.version, ...warningsView(warnings) };
  if (value === undefined) return { ...place, ...outcome };
  const facts = changed ? head : (await versions.of(head, document)).get(key);
  return { ...place, value, ...factsView(facts, head), ...outcome };
}
