// Use case: one write to a state, in any form, on the present document or on a version that the writer names.
import type { Actor } from '../../domain/access/actor.js';
import { ok, type Result } from '../../domain/errors.js';
import { withoutBase } from '../../domain/writes/base-version.js';
import type { JsonValue } from '../../domain/json/json.js';
import { textSize } from '../../domain/json/text-size.js';
import type { EventKind, StateHead } from '../../domain/records/records.js';
import { noState, OPERATOR, type Writer } from '../../domain/states/write.js';
import { after } from '../../lib/maybe-promise.js';
import type { WriteOptions } from '../../ports/service.js';
import type { WriteForm, SchemaEngine } from '../../ports/schema-engine.js';
import { baseView, type BaseViewParts } from './base-view.js';
import type { Logger } from '../../ports/runtime.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { IdempotencyStore } from '../transactions/idempotency-store.js';
import type { StateWriter } from './state-writer.js';
import type { Caller } from '../caller.js';
import type { KeyConditions } from '../../domain/keys/conditions.js';
import { differenceOf } from '../documents/document-work.js';
import { isMerged, mergingOf, type Merging } from './merge-write.js';
import { andThen } from '../results.js';
import type { WriteCommand, WriteResult } from './prepare-write.js';

export interface WriteStateParts extends BaseViewParts {
  readonly engine: SchemaEngine;
  readonly logger: Logger;
  readonly texts: DocumentTexts;
  /** The idempotency record of the present request; `null` if the request has no idempotency key. */
  readonly receipts: IdempotencyStore | null;
  readonly writer: StateWriter;
}

interface StateWrite {
  readonly stateId: string;
  readonly form: WriteForm;
  readonly payload: JsonValue;
  readonly options: WriteOptions;
  readonly kind?: EventKind;
  readonly conditions?: KeyConditions;
  /** The only location that it changes: its base is what the session knows of that one. */
  readonly within?: string;
  readonly entryId?: string | undefined;
}

/** The tree of the state that is written. */
interface Tree {
  readonly rootSessionId: string;
}

/** Writes for a caller whose access to the state has been checked. */
export function writeState(
  caller: Caller<WriteStateParts>,
  tree: Tree,
  write: StateWrite,
): Promise<Result<WriteResult>> {
  const { options } = write;
  if (options.baseVersion !== undefined) return writeOnBase(caller, tree, write, options.baseVersion);
  if (options.onConflict !== undefined) {
    return Promise.resolve(withoutBase('/on_conflict'));
  }
  const { context, actor } = caller;
  const wrote = context.writer.write(write.stateId, tree.rootSessionId, commandOf(caller, write));
  if (actor.kind !== 'session' || write.form !== 'replace' || options.dryRun === true) return wrote;
  // A session that writes the whole document knows all of it.
  return wrote.then((result) =>
    after(
      result.ok
        ? context.readCursors.sawAll(actor.sessionId, write.stateId, result.value.head.version)
        : undefined,
      () => result,
    ),
  );
}

/** The command of a write, with its conditions and its idempotency record. */
function commandOf({ actor, context }: Caller<WriteStateParts>, write: StateWrite): WriteCommand {
  const once = write.options.dryRun === true ? undefined : context.receipts?.of('write_state');
  const { form, payload, options, kind, conditions, entryId } = write;
  return { form, payload, options, writer: writerOf(actor), once, kind, conditions, entryId };
}

/** The writer that an event records. */
export function writerOf(actor: Actor): Writer {
  const { toolCallId } = actor;
  if (actor.kind === 'operator' && actor.tokenName === null && toolCallId === undefined) return OPERATOR;
  return actor.kind === 'session'
    ? { sessionId: actor.sessionId, runId: actor.runId, tokenName: null, toolCallId }
    : { sessionId: null, runId: null, tokenName: actor.tokenName, toolCallId };
}

async function writeOnBase(
  caller: Caller<WriteStateParts>,
  tree: Tree,
  write: StateWrite,
  baseVersion: number | 'last_read',
): Promise<Result<WriteResult>> {
  const { context } = caller;
  const { stateId, form, payload, options, within } = write;
  const head: StateHead | null = await context.store.read.state(stateId);
  if (head === null) return noState(stateId);
  const merging = await andThen(baseView(caller, head, baseVersion, { form, within }), (base) =>
    mergingOf(context, base, form, payload, options.onConflict ?? 'merge'),
  );
  // A write that fails on its base still joins the queue: the batch reports failures to the session's completion.
  const command = { ...commandOf(caller, write), merging };
  const result = await context.writer.write(stateId, tree.rootSessionId, command);
  if (!result.ok || !merging.ok) return result;
  const merged = result.value.merged ?? isMerged(result.value.document, merging.value);
  if (options.dryRun !== true) await noteBase(caller, result.value, merging.value, merged);
  return ok({ ...result.value, merged });
}

/**
 * Records what the session knows after its write. If changes of others were merged in, the session has not seen
 * them: its next write is still based on its own document, even though the answer showed the merged one.
 */
async function noteBase(
  { context, actor }: Caller<WriteStateParts>,
  { head, before }: WriteResult,
  { base, yours }: Merging,
  merged: boolean,
): Promise<void> {
  // A session that has read parts learns no more by writing to them. Its own writes are in the history.
  if (actor.kind !== 'session' || base.inPart) return;
  const { readCursors, limits } = context;
  const { stateId } = head;
  if (!merged) {
    await readCursors.sawAll(actor.sessionId, stateId, head.version);
    return;
  }
  // The base of a write that was made before is not known any more.
  if (before === undefined) return;
  const found = await differenceOf(context, base.origin, yours);
  if (!found.ok) return;
  const own = found.value;
  const bytes = textSize(
    own.map((operation): JsonValue => ({ ...operation })),
    limits.readCursorOwnBytesMax,
  );
  // If its own changes are too large for the cursor, the session meets them as conflicts, not as lost changes.
  if (bytes > limits.readCursorOwnBytesMax) return;
  await readCursors.wroteUnseen(actor.sessionId, stateId, {
    version: base.version,
    own,
    ownVersion: head.version,
  });
}
