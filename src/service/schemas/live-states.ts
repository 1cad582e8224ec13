// Finds the states whose present documents violate a schema. The search is bounded and yields to the event loop
// before each state.
import { setImmediate } from 'node:timers/promises';
import { ok, type Result, type Violation } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type * as api from '../../ports/api/index.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';
import type { Store } from '../../ports/storage/store.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { Caller } from '../caller.js';

export interface LiveStatesParts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
}

const PAGE_ITEMS = 100;

/**
 * Validates the documents of all states on a schema name against a schema, rules of identity included. A session
 * gets results of its own tree only.
 *
 * @returns How many states were checked, and which fail.
 */
export async function liveStates(
  { context, actor }: Caller<LiveStatesParts>,
  schemaName: string,
  admitted: AdmittedSchema,
): Promise<Result<api.SchemaDryRun['live_states']>> {
  const { store, limits, documents } = context;
  const own = actor.kind === 'session' ? { rootSessionId: actor.rootSessionId } : {};
  const failing: api.SchemaDryRun['live_states']['failing'] = [];
  let checked = 0;
  let failingCount = 0;
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE_ITEMS, limits.liveStatesAtOnceMax - checked);
    const page = await store.read.states({ schemaName, ...own }, { limit, cursor });
    for (const head of page.items) {
      await setImmediate();
      const document = await documents.at(head);
      // The state was deleted or written to since the list was read. The listed version is no longer its head.
      if (document === null) continue;
      checked += 1;
      const errors = await firstViolations(context, admitted, document);
      if (!errors.ok) return errors;
      if (errors.value.length === 0) continue;
      failingCount += 1;
      if (failing.length < limits.liveStateItemsMax) {
        failing.push({ state_id: head.stateId, version: head.version, errors: [...errors.value] });
      }
    }
    cursor = page.nextCursor;
  } while (cursor !== null && checked < limits.liveStatesAtOnceMax);
  return ok({ checked, all: cursor === null, failing_count: failingCount, failing });
}

/** Why a document cannot be the first one of a state, within the limits of documents. */
export async function firstViolations(
  { engine, texts }: Pick<LiveStatesParts, 'engine' | 'texts'>,
  admitted: AdmittedSchema,
  document: JsonObject,
): Promise<Result<readonly Violation[]>> {
  const found = await engine.validate(admitted, document, texts.bytes(document));
  if (!found.ok || found.value.length > 0) return found;
  return ok(engine.checkChange(admitted, undefined, document));
}
