// Use cases of workflow states.
import { after, afterOk, type MaybePromise } from '../../lib/maybe-promise.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { valueAt } from '../../domain/json/pointer.js';
import type { StateHead } from '../../domain/records/records.js';
import { deleteState } from '../../domain/states/create.js';
import type { WaitOptions, StateService, WriteOptions } from '../../ports/service.js';
import type { IdSource } from '../../ports/runtime.js';
import type { InFlight } from '../scheduling/in-flight.js';
import type { Caller } from '../caller.js';
import { createWorkflowState, type CreateStateParts } from './create-state.js';
import { migrateState, type MigrateStateParts } from './migrate-state.js';
import { andThen, mapped } from '../results.js';
import type { WriteForm } from '../../ports/schema-engine.js';
import { eventPage, pageEnd } from '../documents/event-pages.js';
import { diffVersions } from './diff-versions.js';
import type { StateFactsCache } from './state-facts.js';
import { envelopeAt, rootName, schemaOf, writtenView } from './envelopes.js';
import { reachFacts, reachState } from './reach-state.js';
import { readState } from './read-state.js';
import { listStates } from './state-list.js';
import type { TimeTexts } from './time-texts.js';
import { newerHead, waitForMatch, type StateWaitsParts } from './state-waits.js';
import { documentAt } from '../documents/state-versions.js';
import { eventView, stateEnvelope } from '../views.js';
import { sawAll, sawPart } from '../reads/note-reads.js';
import { writeOnce } from '../writes/write-receipts.js';
import type { WriteResult } from '../writes/prepare-write.js';
import { writeState, type WriteStateParts } from '../writes/write-state.js';

export interface StateServiceParts
  extends CreateStateParts, StateWaitsParts, MigrateStateParts, WriteStateParts {
  readonly ids: IdSource;
  readonly facts: StateFactsCache;
  readonly times: TimeTexts;
  /** Calls that wait for a state. */
  readonly stateWaits: InFlight;
}

export function stateService(caller: Caller<StateServiceParts>): StateService {
  const { context, actor } = caller;
  const { transactions, documents } = context;
  const timeText = (ms: number) => context.times.of(ms);

  const answered = ({ dryRun }: WriteOptions, work: () => MaybePromise<Result<WriteResult>>) =>
    Promise.resolve(
      afterOk(writeOnce(context, dryRun, work), (result) => {
        const { stateId } = result.head;
        return after(context.facts.cached(stateId)?.rootSessionName ?? rootName(caller, stateId), (name) =>
          ok(writtenView(result, name, timeText)),
        );
      }),
    );

  const write = (stateId: string, form: WriteForm, payload: JsonValue, options: WriteOptions) =>
    answered(options, () =>
      afterOk(reachFacts(caller, 'orchestrate', stateId), (facts) =>
        writeState(caller, facts, { stateId, form, payload, options }),
      ),
    );

  /** Runs a call; one that waits ends before the service does. */
  const finished = <T>(wait: WaitOptions | undefined, call: () => Promise<T>): Promise<T> =>
    wait === undefined ? call() : caller.context.stateWaits.run(call);

  return {
    create: (body) => createWorkflowState(caller, () => ok(body)),
    list: (query) => listStates(caller, query),
    get(stateId, atVersion, wait) {
      if (atVersion === undefined && wait === undefined) return readState(caller, stateId);
      return finished(wait, () =>
        andThen(headFor(caller, stateId, wait), async ({ head, timedOut }) => {
          const envelope = await envelopeAt(caller, head, atVersion);
          if (envelope.ok && atVersion === undefined) await sawAll(caller, stateId, head.version);
          return mapped(envelope, (found) => (timedOut ? { ...found, timed_out: true } : found));
        }),
      );
    },
    async getAt(stateId, pointer, atVersion, wait) {
      return finished(wait, () =>
        andThen(headFor(caller, stateId, wait), ({ head, timedOut }) =>
          andThen(documentAt(caller, head, atVersion), async ({ document, version }) => {
            const value = valueAt(document, pointer);
            if (value === undefined) {
              return fail(
                'pointer_not_found',
                `There is nothing at ${pointer} in version ${String(version)}.`,
                { pointer, version },
              );
            }
            if (atVersion === undefined) await sawPart(caller, stateId, pointer, version);
            const answer = { state_id: stateId, version, pointer, value };
            return ok(timedOut ? { ...answer, timed_out: true } : answer);
          }),
        ),
      );
    },
    async wait(stateId, body, signal) {
      const look = () => reachState(caller, 'read', stateId);
      return caller.context.stateWaits.run(() =>
        andThen(waitForMatch(caller, stateId, body, look, signal), async ({ head, document, status }) => {
          const envelope = stateEnvelope(
            head,
            await schemaOf(caller, head),
            await rootName(caller, stateId),
            document,
          );
          const answer = { ...envelope, matched: status === 'matched' };
          return ok(status === 'failed' ? { ...answer, failed: true } : answer);
        }),
      );
    },
    replace: (stateId, data, options) => write(stateId, 'replace', data, options),
    migrate: (stateId, body, options) =>
      answered(options, () =>
        afterOk(reachFacts(caller, 'orchestrate', stateId), (facts) =>
          migrateState(caller, stateId, facts, body, options),
        ),
      ),
    patch: (stateId, operations, options) => write(stateId, 'json_patch', operations, options),
    mergePatch: (stateId, patch, options) => write(stateId, 'merge_patch', patch, options),
    ops: (stateId, operations, options) => write(stateId, 'ops', operations, options),
    diff: (stateId, query) =>
      andThen(reachState(caller, 'read', stateId), (head) => diffVersions(caller, head, query)),
    revert: (stateId, toVersion, options) =>
      answered(options, () =>
        andThen(reachState(caller, 'orchestrate', stateId), (head) =>
          andThen(documentAt(caller, head, toVersion), ({ document }) =>
            writeState(caller, head, { stateId, form: 'revert', payload: document, options }),
          ),
        ),
      ),
    events: (stateId, query) =>
      andThen(reachState(caller, 'read', stateId), async () =>
        // Map the page without yielding: pages that wait for a slice would all be in memory at the same time.
        mapped(await eventPage(context, stateId, query), (page) => ({
          events: page.events.map(eventView),
          ...pageEnd(page),
        })),
      ),
    async remove(stateId, options = {}) {
      const deleted = await transactions.effect('delete_state', (decisions) =>
        andThen(reachState(caller, 'orchestrate', stateId), (head) => {
          if (actor.kind === 'session' && actor.sessionId !== head.rootSessionId) {
            return fail('forbidden', 'Only the root of the tree may delete its workflow state.');
          }
          return decisions.decide(head.rootSessionId, [{ load: 'state', stateId }], (unit) =>
            deleteState(unit, stateId, options),
          );
        }),
      );
      if (deleted.ok) documents.invalidate(stateId);
      return deleted;
    },
  };
}

/** The present head, or with `wait` the first head that is newer than the caller's version. */
async function headFor(
  caller: Caller<StateServiceParts>,
  stateId: string,
  wait: WaitOptions | undefined,
): Promise<Result<{ head: StateHead; timedOut: boolean }>> {
  const look = () => reachState(caller, 'read', stateId);
  if (wait === undefined) return mapped(await look(), (head) => ({ head, timedOut: false }));
  return newerHead(caller, stateId, wait, look);
}
