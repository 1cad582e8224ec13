// The envelope of a state: its head, its schema's name, its root's name, and its document.
import { missing } from '../../domain/damage/damage.js';
import type { Result } from '../../domain/errors.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { StateFactsCache } from './state-facts.js';
import type { Caller } from '../caller.js';
import { mapped } from '../results.js';
import { stateEnvelope } from '../views.js';
import type { WriteResult } from '../writes/prepare-write.js';
import { documentAt } from '../documents/state-versions.js';

export interface EnvelopesParts {
  readonly store: Store;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
  readonly facts: StateFactsCache;
}

/** The envelope of a state at present, or at a version. */
export async function envelopeAt(
  caller: Caller<EnvelopesParts>,
  head: StateHead,
  atVersion?: number,
): Promise<Result<api.StateEnvelope>> {
  const present = atVersion === undefined || atVersion === head.version;
  const past = present ? head : await headAt(caller, head, atVersion);
  const schema = await schemaOf(caller, past);
  const name = await rootName(caller, head.stateId);
  return mapped(await documentAt(caller, head, atVersion), ({ document }) => {
    const envelope = stateEnvelope(past, schema, name, document);
    if (present) caller.context.documents.cacheEnvelope(head, envelope);
    return envelope;
  });
}

/** The answer to a write. @param timeText - Returns the text of a time. */
export function writtenView(
  { head, schema, document, changed, warnings, merged }: WriteResult,
  rootSessionName: string,
  timeText?: (ms: number) => string,
): api.StateWritten {
  const envelope = stateEnvelope(head, schema, rootSessionName, document, timeText);
  const view: api.StateWritten = Object.assign(envelope, { changed });
  if (warnings.length > 0) view.warnings = [...warnings];
  if (merged !== undefined) view.merged = merged;
  return view;
}

/** The head as it was after the event of a version. */
async function headAt(
  { context }: Caller<EnvelopesParts>,
  head: StateHead,
  version: number,
): Promise<StateHead> {
  const { events } = await context.store.read.events(
    head.stateId,
    version - 1,
    1,
    context.limits.eventBytesPerPageMax,
  );
  const [event] = events;
  const schemaId = (await context.store.read.schemaIdAt(head.stateId, version)) ?? head.schemaId;
  if (event?.version !== version) return { ...head, schemaId, version };
  return { ...head, schemaId, version, updatedAt: event.createdAt, updatedBy: event.sessionId };
}

export async function schemaOf(
  { context }: Caller<EnvelopesParts>,
  head: StateHead,
): Promise<WorkflowSchema> {
  const schema = await context.schemas.byId(head.schemaId);
  if (schema === null) throw missing('schema', head.schemaId);
  return schema;
}

export async function rootName({ context }: Caller<EnvelopesParts>, stateId: string): Promise<string> {
  return (await context.facts.of(stateId))?.rootSessionName ?? '';
}
