// Waits for a state: for a newer version, or until its document satisfies a schema. Each wait subscribes before
// it reads, so no commit is missed.
import { ok, fail, type Result } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import { closedSentence } from '../../domain/transactions/schema-answers.js';
import { isOfWorkflow } from '../../domain/workflow/named-conditions.js';
import { declaresWorkflow, noWorkflow } from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';
import type { WaitOptions } from '../../ports/service.js';
import { admitCondition, satisfies } from '../schemas/conditions.js';
import type { Limits } from '../../domain/limits.js';
import type { Notifier } from '../scheduling/notifier.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { Semaphore } from '../../domain/semaphore.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { Caller } from '../caller.js';
import { mapped } from '../results.js';

export interface StateWaitsParts {
  readonly engine: SchemaEngine;
  readonly limits: Limits;
  readonly notifier: Notifier;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly schemas: SchemaCache;
  readonly conditionWaits: Semaphore;
  readonly slices: TimeSlices;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}

/** Reads the head again, with the caller's rights. */
type Look = () => Promise<Result<StateHead>>;

/** @returns The head, newer if that happened in time; or the failure of reading it. */
export async function newerHead(
  caller: Caller<StateWaitsParts>,
  stateId: string,
  wait: WaitOptions,
  look: Look,
): Promise<Result<{ head: StateHead; timedOut: boolean }>> {
  const isNewer = (head: StateHead) => head.version > wait.afterVersion;
  const found = await whenever(caller, stateId, wait, look, (head) =>
    Promise.resolve(ok(isNewer(head) ? head : null)),
  );
  return mapped(found, ({ head }) => ({ head, timedOut: !isNewer(head) }));
}

interface Match {
  readonly head: StateHead;
  readonly document: JsonObject;
  readonly status: 'matched' | 'failed' | 'open';
}

/**
 * Waits until a document satisfies `until` or `fail_on`. If it satisfies both, `until` wins.
 *
 * @returns The last document checked; or `overloaded`, a failure of admitting the schemas,
 *   `condition_impossible`, `state_not_found` (also if the state is deleted during the wait), or
 *   `schema_too_complex` if a check takes too long.
 */
export async function waitForMatch(
  caller: Caller<StateWaitsParts>,
  stateId: string,
  body: api.StateWait,
  look: Look,
  signal?: AbortSignal,
): Promise<Result<Match>> {
  const { engine, conditionWaits, slices } = caller.context;
  const first = await look();
  if (!first.ok) return first;
  const permit = conditionWaits.tryAcquire(caller.actor);
  if (!permit.ok) return permit;
  try {
    const slice = slices.yieldIfDue();
    if (slice !== undefined) await slice;
    const until = await admitCondition(engine, body.until, '/until');
    if (!until.ok) return until;
    const failOn =
      body.fail_on === undefined ? ok(null) : await admitCondition(engine, body.fail_on, '/fail_on');
    if (!failOn.ok) return failOn;
    const possible = await checkPossible(caller, first.value, {
      '/until': until.value,
      '/fail_on': failOn.value,
    });
    if (!possible.ok) return possible;
    let last: Match | null = null;
    const found = await whenever(
      caller,
      stateId,
      { waitMs: body.timeout_ms ?? 0, signal },
      look,
      async (head): Promise<Result<Match | null>> => {
        if (last?.head.version === head.version) return ok(null);
        const match = await matchOf(caller, head, until.value, failOn.value);
        if (!match.ok || match.value === null) return match;
        last = match.value;
        return ok(last.status === 'open' ? null : last);
      },
    );
    if (!found.ok) return found;
    const match = found.value.found ?? last;
    if (match !== null) return ok(match);
    const state = await look();
    return state.ok ? fail('overloaded', 'The state could not be read in time. Try again.') : state;
  } finally {
    permit.value();
  }
}

/**
 * Refuses a condition that the state's schema rules out, such as a misspelled name or a value that cannot occur:
 * its wait would be in vain. A state that is `lenient` is not checked, because it may hold values
 * that its schema refuses.
 */
async function checkPossible(
  { context }: Caller<StateWaitsParts>,
  head: StateHead,
  conditions: Readonly<Record<string, AdmittedSchema | null>>,
): Promise<Result<null>> {
  const schema = head.lenient ? null : await context.schemas.byId(head.schemaId);
  if (schema === null) return ok(null);
  const known = { hash: schema.hash, schema: schema.jsonSchema };
  for (const [pointer, condition] of Object.entries(conditions)) {
    if (condition === null) continue;
    if (isOfWorkflow(condition.schema) && !declaresWorkflow(schema.jsonSchema)) return noWorkflow(schema);
    const closed = context.engine.ruledOut(known, { pointer: '', schema: condition });
    if (closed === null) continue;
    return fail(
      'condition_impossible',
      `The condition at ${pointer} can never hold under the workflow schema ${schema.name}: ${closedSentence(closed)}.`,
      {
        pointer,
        closed_at: closed.pointer,
        ...(closed.members === null ? {} : { members: closed.members }),
      },
    );
  }
  return ok(null);
}

/** Returns `null` if the document was deleted or replaced before it could be read. */
async function matchOf(
  { context }: Caller<StateWaitsParts>,
  head: StateHead,
  until: AdmittedSchema,
  failOn: AdmittedSchema | null,
): Promise<Result<Match | null>> {
  const document = await context.documents.at(head);
  if (document === null) return ok(null);
  // Wait for a slice right before the work. Requests that arrive together would all pass an earlier check before
  // the first of them works.
  const pause = context.slices.yieldIfDue();
  if (pause !== undefined) await pause;
  const bytes = context.texts.bytes(document);
  const match = await satisfies(context.engine, until, document, bytes);
  if (!match.ok) return match;
  if (match.value) return ok({ head, document, status: 'matched' });
  if (failOn === null) return ok({ head, document, status: 'open' });
  const failure = await satisfies(context.engine, failOn, document, bytes);
  return mapped(failure, (failed) => ({ head, document, status: failed ? 'failed' : 'open' }));
}

/** Tests now and after each commit to the state, until `test` returns a value or the time is over. */
async function whenever<T>(
  { context }: Caller<StateWaitsParts>,
  stateId: string,
  { waitMs = 0, signal }: Pick<WaitOptions, 'waitMs' | 'signal'>,
  look: Look,
  test: (head: StateHead) => Promise<Result<T | null>>,
): Promise<Result<{ head: StateHead; found: T | null }>> {
  const { limits, notifier, closing, slices } = context;
  // The server's clock may be set back meanwhile.
  const until = performance.now() + Math.min(waitMs, limits.waitMsMax);
  let last: StateHead | null = null;
  for (;;) {
    const leftMs = until - performance.now();
    const change = notifier.listen([`state:${stateId}`], leftMs, signal);
    const pause = slices.yieldIfDue();
    if (pause !== undefined) await pause;
    if (closing.aborted && last !== null) {
      change.cancel();
      return ok({ head: last, found: null });
    }
    const head = await look();
    const found = head.ok ? await test(head.value) : head;
    const isOver = leftMs <= 0 || signal?.aborted === true || closing.aborted;
    if (!head.ok || !found.ok || found.value !== null || isOver) {
      change.cancel();
      if (!head.ok) return head;
      return mapped(found, (value) => ({ head: head.value, found: value }));
    }
    last = head.value;
    await change.woken;
  }
}
