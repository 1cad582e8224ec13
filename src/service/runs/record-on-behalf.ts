// Use case: record a child's result on its behalf. The child's client cannot call tools, so it returned a value
// under an output schema.
import { openAttemptOf } from '../../domain/completion/attempts.js';
import type { Held } from '../../domain/runs/report.js';
import { hasEnded, holdsLease } from '../../domain/lifecycle/run.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { Contract, Run } from '../../domain/records/records.js';
import { placeValue } from '../../domain/states/place-value.js';
import { baseView } from '../writes/base-view.js';
import type { StateFactsCache } from '../states/state-facts.js';
import type { Caller } from '../caller.js';
import { writeState, type WriteStateParts } from '../writes/write-state.js';

export interface RecordOnBehalfParts extends WriteStateParts {
  readonly facts: StateFactsCache;
}

/**
 * Writes a value at the pointer of the child's contract. The write counts as the child's own, and the history
 * marks it `on_behalf`. It respects the write scope and merges with what others wrote since the prompt. A failure
 * goes to the completion like that of any other write: it counts with the attempt, and the next prompt mentions
 * it.
 *
 * Guarantees: it writes only for the attempt that this run opened, and only while the runner holds the lease. A
 * repeated report changes nothing more.
 */
export async function recordOnBehalf(
  context: RecordOnBehalfParts,
  run: Run,
  held: Held,
  value: JsonValue,
): Promise<void> {
  const contract = await openContractOf(context, run, held);
  const tree = contract === null ? null : await context.store.read.tree(run.rootSessionId);
  const stateId = tree?.stateId ?? null;
  const facts = stateId === null ? null : await context.facts.of(stateId);
  if (contract === null || stateId === null || facts === null) return;
  const { sessionId, rootSessionId, runId } = run;
  const child: Caller<RecordOnBehalfParts> = {
    context,
    actor: { kind: 'session', sessionId, rootSessionId, runId },
  };
  const base = await baseOf(child, stateId);
  if (base === null) return;
  const result = await writeState(child, facts, {
    stateId,
    form: 'json_patch',
    payload: placeValue(base.document, contract.pointer, value).map((operation) => ({ ...operation })),
    options: { baseVersion: base.version },
    kind: 'on_behalf',
  });
  if (result.ok) return;
  const { error, detail } = result.failure;
  context.logger.info(
    { run_id: runId, error, detail },
    'a result could not be written on behalf of its child',
  );
}

/** The contract that the run must satisfy, if the completion still waits for this run. */
async function openContractOf(context: RecordOnBehalfParts, run: Run, held: Held): Promise<Contract | null> {
  if (run.purpose !== 'state_update' || hasEnded(run) || !holdsLease(run, held)) return null;
  const completion = await context.store.read.completion(run.sessionId, run.generation);
  const isAsked = completion?.status === 'pending' && openAttemptOf(completion)?.runId === run.runId;
  return isAsked ? completion.settings.contract : null;
}

/** The document as the child last read it; the present one if it has read none. */
async function baseOf(child: Caller<RecordOnBehalfParts>, stateId: string) {
  const head = await child.context.store.read.state(stateId);
  if (head === null) return null;
  const lastRead = await baseView(child, head, 'last_read', { form: 'json_patch' });
  if (lastRead.ok) return { version: 'last_read' as const, document: lastRead.value.document };
  const present = await baseView(child, head, head.version, { form: 'json_patch' });
  return present.ok ? { version: head.version, document: present.value.document } : null;
}
