// Creates and deletes the state of a tree.
import { apply } from '../completion/apply-event.js';
import { openCompletions } from '../completion/open-completions.js';
import { seal, sealedHead, sealedSnapshot } from '../evidence/seal.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import { noSchemaVersion } from '../schemas/register.js';
import { findSession, noSession } from '../sessions/create.js';
import { deleteSession } from '../sessions/end.js';
import { checkOpenTerms } from '../sessions/terms.js';
import type { Session, StateHead, WorkflowSchema } from '../records/records.js';
import { checkVersion, type ExpectedVersion } from './expected-version.js';
import { noState, type Writer } from './write.js';

interface NewState {
  readonly stateId: string;
  readonly schema: WorkflowSchema;
  readonly text: string;
  /** The patch that creates the document from nothing, canonical. */
  readonly patchText: string;
  readonly writer: Writer;
}

/**
 * Gives a tree its state. Every session of the tree has it from then on.
 *
 * @returns The head, at version 1; or `forbidden` if the session is no root; `state_exists`; `schema_not_found` if the
 *   version was deleted after the caller found it, since no state used it; or a failure of `checkOpenTerms`.
 */
export function createState(unit: UnitOfWork, root: Session, command: NewState): Result<StateHead> {
  const { rootSessionId } = root;
  if (root.parentSessionId !== null) {
    return fail(
      'forbidden',
      `${root.sessionName} is a child: only the root of a tree creates its workflow state.`,
      {
        root_session_id: rootSessionId,
      },
    );
  }
  const tree = unit.tree(rootSessionId);
  if (tree.stateId !== null) {
    return fail('state_exists', 'The tree has a workflow state already; write to that one.', {
      state_id: tree.stateId,
    });
  }
  const { schemaId, name, version } = command.schema;
  unit.need({ load: 'schemaOf', schemaId });
  if (!unit.records.schemaNames.has(schemaId)) return noSchemaVersion(name, version);
  const open = openCompletions(unit, rootSessionId);
  const openTerms = checkOpenTerms(
    // Also of work that waits for the end of the work before it.
    open.flatMap(({ sessionId }) => {
      const { session, completions } = unit.aggregate(sessionId);
      return completions.map((completion) => ({ completion, sessionName: session.sessionName }));
    }),
    { name, hash: command.schema.hash, schema: command.schema.jsonSchema },
    unit.context.ruledOut,
  );
  if (!openTerms.ok) return openTerms;
  const { keys } = unit.context;
  const event = seal(keys, {
    eventId: unit.context.newId('evt'),
    stateId: command.stateId,
    rootSessionId,
    version: 1,
    kind: 'create',
    patchText: command.patchText,
    ...command.writer,
    toolCallId: command.writer.toolCallId ?? null,
    late: false,
    createdAt: unit.now,
    fromSchemaId: null,
    toSchemaId: null,
    previousHash: '',
  });
  const head = sealedHead(keys, {
    stateId: command.stateId,
    schemaId,
    rootSessionId,
    version: 1,
    snapshotVersion: 1,
    patchBytesSinceSnapshot: 0,
    lastHash: event.hash,
    createdAt: unit.now,
    updatedAt: unit.now,
    updatedBy: command.writer.sessionId,
    lenient: false,
    unsignedThrough: 0,
    signature: null,
    revision: 0,
  });
  unit.putTree({ ...tree, stateId: command.stateId });
  unit.put('state', head, undefined);
  unit.append('event', event);
  unit.append('snapshot', sealedSnapshot(keys, event, command.text));
  unit.touched.leaveCompletionsOf(rootSessionId);
  for (const { sessionId } of open) apply(unit, sessionId, { type: 'state_opened' });
  return ok(head);
}

/**
 * Removes a state with its history. Skips the open completions of the tree and reports that to the parents.
 *
 * @param expected - Conditions on the state's version.
 * @returns Nothing; or `state_not_found`, `version_conflict`.
 */
export function deleteState(unit: UnitOfWork, stateId: string, expected: ExpectedVersion = {}): Result<null> {
  unit.need({ load: 'state', stateId });
  const head = unit.records.states.get(stateId);
  if (head === undefined) return noState(stateId);
  const conflict = checkVersion(head.version, expected);
  if (conflict !== null) return conflict;
  unit.remove('state', stateId);
  unit.putTree({ ...unit.tree(head.rootSessionId), stateId: null });
  for (const { sessionId } of openCompletions(unit, head.rootSessionId))
    apply(unit, sessionId, { type: 'state_deleted' });
  return ok(null);
}

/**
 * Deletes a root together with its workflow state, in one decision. For any other session it equals
 * `deleteSession`. The session is deleted first, so that callbacks about the end of the state resume no parent.
 *
 * @returns The id of the deleted state; `null` if there was none; or a failure of `deleteSession`.
 */
export function deleteWithState(unit: UnitOfWork, idOrName: string): Result<string | null> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const deleted = deleteSession(unit, idOrName);
  if (!deleted.ok || session.parentSessionId !== null) return deleted;
  const { stateId } = unit.tree(session.rootSessionId);
  if (stateId === null) return deleted;
  const stateDeleted = deleteState(unit, stateId);
  return stateDeleted.ok ? ok(stateId) : stateDeleted;
}
