// Finds the base of a write: a version, or the document as the writing session knows it. The base is read before
// the write joins the queue, so that no other writer waits for it.
import { ok, type Result } from '../../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Patch } from '../../domain/json/patch.js';
import { overlaps, valueAt } from '../../domain/json/pointer.js';
import type { PartSeen, ReadCursor, StateHead } from '../../domain/records/records.js';
import { baseTooNew, lastReadBase } from '../../domain/writes/base-version.js';
import type * as api from '../../ports/api/index.js';
import { applyJsonPatch, applyOperators } from '../../document/index.js';
import type { WriteForm } from '../../ports/schema-engine.js';
import type { Store } from '../../ports/storage/store.js';
import type { Documents } from '../documents/documents.js';
import type { ReadCursors } from '../reads/read-cursors.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { documentAt } from '../documents/state-versions.js';
import { patchFrom } from '../documents/patch-of.js';

export interface BaseViewParts {
  readonly store: Store;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly readCursors: ReadCursors;
}

export interface BaseView {
  readonly version: number;
  /** The document of that version. */
  readonly origin: JsonObject;
  /** The document as the writer knows it: `origin` with the session's own writes and the parts that it read since. */
  readonly document: JsonObject;
  /** True if the session has read only parts of that version. */
  readonly inPart: boolean;
}

/** The write that needs a base. */
interface BasedWrite {
  readonly form: WriteForm;
  /** The only location that it changes, if it says so. */
  readonly within?: string | undefined;
}

/**
 * @returns The base; or `version_conflict` (newer than the state), `version_not_found`, `version_compacted` or
 *   `base_unknown`.
 */
export async function baseView(
  caller: Caller<BaseViewParts>,
  head: StateHead,
  wanted: api.BaseVersion,
  write: BasedWrite,
): Promise<Result<BaseView>> {
  if (wanted === 'last_read') return lastRead(caller, head, write);
  if (wanted > head.version) {
    return andThen(documentAt(caller, head), ({ document, version }) =>
      baseTooNew(wanted, version, document),
    );
  }
  const found = await documentAt(caller, head, wanted);
  if (!found.ok) return found;
  const { document } = found.value;
  return ok({ version: wanted, origin: document, document, inPart: false });
}

async function lastRead(
  caller: Caller<BaseViewParts>,
  head: StateHead,
  { form, within }: BasedWrite,
): Promise<Result<BaseView>> {
  const { context, actor } = caller;
  const session = actor.kind === 'session' ? actor.sessionId : null;
  const cursor = session === null ? null : await context.readCursors.of(session, head.stateId);
  const base = lastReadBase(cursor, head.version, {
    isSession: session !== null,
    isWhole: form === 'replace',
    within,
  });
  if (!base.ok) return base;
  const { cursor: from, inPart } = base.value;
  const found = await documentAt(caller, head, from.version);
  if (!found.ok) return (await partRead(context, from, head, within)) ?? found;
  const origin = found.value.document;
  const document = await seenBy(context, from, head, origin);
  return ok({ version: from.version, origin, document, inPart });
}

/** The base of a write to one location that the session has read since, where the version that it read before is gone. */
async function partRead(
  context: BaseViewParts,
  cursor: ReadCursor,
  head: StateHead,
  within: string | undefined,
): Promise<Result<BaseView> | null> {
  const part =
    within === undefined ? undefined : cursor.parts.findLast(({ pointer }) => overlaps(pointer, within));
  const origin = part === undefined ? null : await context.documents.past(head.stateId, part.version);
  if (part === undefined || origin === null) return null;
  const { version } = part;
  const document = await seenBy(
    context,
    { ...cursor, version, own: null, ownVersion: version, parts: [] },
    head,
    origin,
  );
  return ok({ version, origin, document, inPart: true });
}

/**
 * Rebuilds the document that the session knows. A step that no longer applies is skipped: its change then appears
 * as a conflict, and is not lost.
 */
async function seenBy(
  context: BaseViewParts,
  cursor: ReadCursor,
  head: StateHead,
  origin: JsonObject,
): Promise<JsonObject> {
  const { documents, limits } = context;
  let view = cursor.own === null ? origin : patched(origin, cursor.own, limits);
  const writes = await ownWrites(context, cursor, head);
  for (const part of cursor.parts) {
    for (const write of writes.splice(
      0,
      writes.findLastIndex(({ version }) => version <= part.version) + 1,
    )) {
      view = patched(view, write.patch, limits);
    }
    const then = await documents.past(head.stateId, part.version);
    if (then !== null) view = withPart(view, part, then, limits);
  }
  for (const write of writes) view = patched(view, write.patch, limits);
  return view;
}

interface OwnWrite {
  readonly version: number;
  readonly patch: Patch;
}

/** The session's writes since its read cursor, oldest first; none if that is too many versions ago. */
async function ownWrites(
  { store, limits }: BaseViewParts,
  cursor: ReadCursor,
  head: StateHead,
): Promise<OwnWrite[]> {
  if (head.version - cursor.ownVersion > limits.readCursorEventsMax) return [];
  const writes: OwnWrite[] = [];
  for (let done = cursor.ownVersion; done < head.version;) {
    const rows = Math.min(head.version - done, limits.listItemsMax);
    const { events } = await store.read.events(head.stateId, done, rows, limits.eventBytesPerPageMax);
    for (const { sessionId, version, patchText } of events) {
      if (sessionId === cursor.sessionId)
        writes.push({ version, patch: patchFrom(patchText, cursor.stateId, version) });
    }
    done = events.at(-1)?.version ?? head.version;
  }
  return writes;
}

function patched(document: JsonObject, patch: Patch, limits: Limits): JsonObject {
  const operations = patch.map((operation): JsonValue => ({ ...operation }));
  return applied(document, applyJsonPatch(document, operations, limits));
}

function withPart(document: JsonObject, { pointer }: PartSeen, then: JsonObject, limits: Limits): JsonObject {
  const value = valueAt(then, pointer);
  const operation = value === undefined ? { op: 'delete', pointer } : { op: 'set', pointer, value };
  return applied(document, applyOperators(document, [operation], limits));
}

function applied(before: JsonObject, result: Result<{ readonly document: JsonValue }>): JsonObject {
  return result.ok && isJsonObject(result.value.document) ? result.value.document : before;
}
