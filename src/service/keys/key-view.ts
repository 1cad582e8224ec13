// Keys as the wire shows them.
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { Slices } from '../../ports/slices.js';
import type { WriteResult } from '../writes/prepare-write.js';
import { warningsView } from '../views.js';
import { own, type KeyFacts, type KeyVersions } from './key-versions.js';

/** So many are shown before others get their turn. */
const KEYS_PER_TURN = 1000;

interface Shown {
  readonly head: StateHead;
  readonly document: JsonObject;
}

function factsView(facts: KeyFacts | undefined, head: StateHead, textOf = timeText) {
  return {
    version: facts?.version ?? head.version,
    updated_at: textOf(facts?.updatedAt ?? head.updatedAt),
    updated_by: facts?.updatedBy ?? null,
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** The same, for many keys: most of them were written at the same time. */
function timeTexts(): typeof timeText {
  const texts = new Map<number, string>();
  return (at) => {
    const text = texts.get(at) ?? timeText(at);
    texts.set(at, text);
    return text;
  };
}

/** Every key of the document. */
export async function keysView(
  versions: KeyVersions,
  { head, document }: Shown,
  slices: Slices,
): Promise<api.KeysView> {
  const facts = await versions.of(head, document);
  const textOf = timeTexts();
  const keys: [string, api.KeysView['keys'][string]][] = [];
  for (const [key, value] of Object.entries(document)) {
    const turn = keys.length % KEYS_PER_TURN === 0 ? slices.turn() : undefined;
    if (turn !== undefined) await turn;
    keys.push([key, { value, ...factsView(facts.get(key), head, textOf) }]);
  }
  return {
    root_session_id: head.rootSessionId,
    state_id: head.stateId,
    keys: Object.fromEntries(keys),
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
