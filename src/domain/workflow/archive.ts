// Moves ended invocations out of a workflow record that has many of them. Pure: says which ones go, and what is written.
import { fail } from '../errors.js';
import { isJsonArray, isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../json/json.js';
import { textMember } from '../json/members.js';
import type { PatchOperation } from '../json/patch.js';
import { formatPointer } from '../json/pointer.js';
import type { Limits } from '../limits.js';
import type { WorkflowArchive } from '../records/records.js';
import { commandFrom, type Compact, type WorkflowCommand } from './commands.js';
import { declaresWorkflow, hasEnded, listOf, RECORD, recordOf } from './workflow.js';

/** Most invocations in one archive. What is left is archived by the next compaction. */
const ARCHIVED_MAX = 500;

/** Invocations that have ended, the newest end last. */
export function endedInvocations(document: JsonObject): readonly JsonObject[] {
  return endedLocations(document).map(({ invocation }) => invocation);
}

function endedLocations(document: JsonObject): readonly { index: number; invocation: JsonObject }[] {
  return listOf(document, 'agent_history')
    .map((invocation, index) => ({
      index,
      invocation,
      endedAt: textMember(invocation, 'completed_at') ?? '',
    }))
    .filter(({ invocation }) => hasEnded(invocation))
    .sort((a, b) => (a.endedAt < b.endedAt ? -1 : a.endedAt > b.endedAt ? 1 : 0));
}

/** The locations of the invocations that go, in the order of the document. */
function archivedLocations(document: JsonObject, keep: number): readonly number[] {
  const ended = endedLocations(document);
  return ended
    .slice(0, Math.min(Math.max(0, ended.length - keep), ARCHIVED_MAX))
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

/** The operations of a compaction; none if nothing goes. */
export function compact(document: JsonObject, { archive_id, keep, at }: Compact): readonly PatchOperation[] {
  const indices = archivedLocations(document, keep);
  if (indices.length === 0) return [];
  const entry = { archive_id, compacted_at: at, count: indices.length };
  return [
    ...indices.toReversed().map((index) => ({
      op: 'remove' as const,
      path: formatPointer([RECORD, 'agent_history', index]),
    })),
    { op: 'add', path: formatPointer([RECORD, 'compaction_history', '-']), value: entry },
  ];
}

/** An archive without its state, as a write makes it. */
export type NewArchive = Pick<WorkflowArchive, 'archiveId' | 'createdAt' | 'invocations'>;

/** What a write moves to an archive, and the document that the rules of change compare with: it lacks what is moved. */
export interface Archiving {
  readonly archive: NewArchive;
  readonly ruledFrom: JsonObject;
}

/** @returns `null` for any other write. */
export function archivingOf(
  document: JsonObject,
  { form, payload }: { readonly form: string; readonly payload: Parameters<typeof commandFrom>[0] },
): Archiving | null {
  if (form !== 'workflow') return null;
  const command = commandFrom(payload);
  if (command.operation !== 'compact') return null;
  const indices = new Set(archivedLocations(document, command.keep));
  if (indices.size === 0) return null;
  const record = recordOf(document);
  const history = record['agent_history'];
  const all = isJsonArray(history) ? history : [];
  const invocations = all.filter((_, index) => indices.has(index)).filter(isJsonObject);
  const remaining = all.filter((_, index) => !indices.has(index));
  return {
    // The time that the record names.
    archive: { archiveId: command.archive_id, createdAt: Date.parse(command.at), invocations },
    ruledFrom: { ...document, [RECORD]: { ...record, agent_history: remaining } },
  };
}

/** An archive, and what it holds according to the documents before and after the write that made it. */
export interface ArchivedByWrite {
  readonly archiveId: string;
  /** The time that the record names. */
  readonly compactedAt: string | null;
  readonly invocations: readonly JsonValue[];
}

/** What a write of a workflow record has archived; `null` if it was no compaction. */
export function archivedBy(before: JsonObject, after: JsonObject): ArchivedByWrite | null {
  const named = listOf(after, 'compaction_history');
  const archiveId = textMember(named.at(-1) ?? {}, 'archive_id');
  if (archiveId === null || named.length !== listOf(before, 'compaction_history').length + 1) return null;
  const [had, has] = [before, after].map((document) => {
    const history = recordOf(document)['agent_history'];
    return isJsonArray(history) ? history : [];
  });
  // What stays keeps its order, and of equal invocations the last ones stay.
  const staying = [...(has ?? [])];
  const invocations = (had ?? []).toReversed().filter((one) => {
    const stays = staying.at(-1);
    if (stays === undefined || !jsonEqual(stays, one)) return true;
    staying.pop();
    return false;
  });
  return {
    archiveId,
    compactedAt: textMember(named.at(-1) ?? {}, 'compacted_at'),
    invocations: invocations.reverse(),
  };
}

/** The id that a command names, if only an archive can have that invocation; `null` for any other command. */
export function soughtInArchives(document: JsonObject, command: WorkflowCommand): string | null {
  if (command.operation !== 'start_invocation' && command.operation !== 'complete_invocation') return null;
  const { invocation_id: id } = command;
  if (listOf(document, 'compaction_history').length === 0) return null;
  return listOf(document, 'agent_history').some((one) => one['invocation_id'] === id) ? null : id;
}

/** The ids of the archives that a record names and that are still kept, the newest first. */
export function keptArchives(
  document: JsonObject,
  now: number,
  { workflowArchivesKeptMs }: Pick<Limits, 'workflowArchivesKeptMs'>,
): readonly string[] {
  const oldest = now - workflowArchivesKeptMs;
  return listOf(document, 'compaction_history')
    .filter((one) => Date.parse(textMember(one, 'compacted_at') ?? '') >= oldest)
    .flatMap((one) => textMember(one, 'archive_id') ?? [])
    .reverse();
}

/** The failure for an archive that does not exist, or is no longer kept. */
export function noArchive(archiveId: string) {
  return fail(
    'workflow_entry_not_found',
    `The workflow record has no archive ${archiveId}, or it was removed because of its age.`,
    { id: archiveId },
  );
}

/** What the compaction of a record needs from outside. */
interface CompactionParts {
  readonly limits: Pick<Limits, 'endedInvocationsMax' | 'endedInvocationsKeptMax'>;
  readonly clock: { now(): number };
  readonly ids: { newId(prefix: string): string };
}

/** The compaction that a write calls for; `null` unless it has left more ended invocations than a record keeps. */
export function compactionOf(
  before: JsonObject,
  after: JsonObject,
  schema: JsonObject,
  { limits, clock, ids }: CompactionParts,
): Compact | null {
  const history = recordOf(after)['agent_history'];
  if (!isJsonArray(history) || history.length <= limits.endedInvocationsMax) return null;
  // A write that leaves the list alone leaves the same array.
  if (recordOf(before)['agent_history'] === history) return null;
  if (endedLocations(after).length <= limits.endedInvocationsMax || !declaresWorkflow(schema)) return null;
  const at = new Date(clock.now()).toISOString();
  return { operation: 'compact', at, archive_id: ids.newId('arc'), keep: limits.endedInvocationsKeptMax };
}
