// Use case: a runner polls for runs and stop orders. The call waits for a while if there are none.
import { ok, type Result } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { claim, seen, unknownRunner, type Lease } from '../../domain/runs/claim.js';
import type { Run, Runner, Session } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { agentOfRun } from '../agents/apply-blueprint.js';
import type { IdSource } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Notifier } from '../scheduling/notifier.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { ReadCursors } from '../reads/read-cursors.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import type { SessionTokens } from '../access/session-tokens.js';
import type { SentStopOrders } from './sent-stop-orders.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { secretHash } from '../access/secrets.js';
import { runView } from '../views.js';
import { promptOf, type StatePromptParts } from '../prompts/state-prompts.js';

export interface PollParts extends StatePromptParts {
  readonly limits: Limits;
  readonly ids: IdSource;
  readonly notifier: Notifier;
  readonly transactions: TreeTransactions;
  readonly readCursors: ReadCursors;
  readonly agents: AgentRegistry;
  readonly tokens: SessionTokens;
  readonly sentStopOrders: SentStopOrders;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}

interface Poll {
  readonly runnerId: string;
  readonly waitMs: number;
  readonly capacity?: number | undefined;
}

/** @see RunnerService.poll */
export async function pollForRuns(
  caller: Caller<PollParts>,
  poll: Poll,
  signal?: AbortSignal,
): Promise<Result<api.RunnerWork>> {
  const { context } = caller;
  const { limits, notifier } = context;
  // The server's clock may be set back meanwhile.
  const until = performance.now() + Math.min(poll.waitMs, limits.pollTimeoutMs);
  for (let isFirst = true; ; isFirst = false) {
    const leftMs = until - performance.now();
    const change = notifier.listen(
      ['runs', `runner:${poll.runnerId}`],
      Math.min(leftMs, limits.pollLookAgainMs),
      signal,
    );
    const work = signal?.aborted === true ? ok(NOTHING) : await lookForWork(caller, poll, isFirst);
    const isOver = leftMs <= 0 || signal?.aborted === true || context.closing.aborted;
    if (!work.ok || isOver || work.value.runs.length > 0 || work.value.stop_runs.length > 0) {
      change.cancel();
      return work;
    }
    await change.woken;
  }
}

const NOTHING: api.RunnerWork = { runs: [], stop_runs: [] };

/** @param isFirst - The first look of a poll records that the runner is connected. */
async function lookForWork(
  caller: Caller<PollParts>,
  { runnerId, capacity }: Poll,
  isFirst: boolean,
): Promise<Result<api.RunnerWork>> {
  const { store, sentStopOrders, closing, ids } = caller.context;
  const [runner, active] = await Promise.all([
    store.read.runner(runnerId),
    store.read.runsOfRunner(runnerId),
  ]);
  if (runner === null) return unknownRunner(runnerId);
  const stop = active.filter((run) => run.status === 'stopping').map((run) => run.runId);
  const fresh = stop.filter((runId) => sentStopOrders.tell(runnerId, runId));
  const runsMax = Math.min(capacity ?? runner.concurrentMax, runner.concurrentMax - active.length);
  const leases = Array.from({ length: closing.aborted ? 0 : Math.max(0, runsMax) }, () => {
    const token = ids.newSecret();
    return { token, hash: secretHash(token) };
  });
  if (leases.length === 0 && !isFirst) return ok({ runs: [], stop_runs: fresh });
  const claimed = await claimRuns(caller.context, runnerId, leases, isFirst);
  return andThen(claimed, async (leased) => {
    const runs = await Promise.all(leased.map(({ run, token }) => handOut(caller, run, token, runner)));
    return ok({ runs, stop_runs: fresh });
  });
}

/** Claims runs. If a record is damaged, it claims again and skips damaged sessions, so that other runs can start. */
async function claimRuns(
  { transactions }: PollParts,
  runnerId: string,
  leases: readonly Lease[],
  isFirst: boolean,
) {
  const claimWith = (onlySound: boolean) =>
    transactions.decideFree([{ load: 'runner', runnerId }], (unit) => {
      const runner = isFirst ? seen(unit, runnerId) : null;
      return runner?.ok === false ? runner : claim(unit, runnerId, leases, onlySound);
    });
  try {
    return await claimWith(false);
  } catch (error) {
    if (!(error instanceof RecordDamagedError)) throw error;
    return claimWith(true);
  }
}

/**
 * Builds the run's description for the runner, with a token for the run. If the prompt shows the whole document,
 * that counts as a read by the session: its next write is based on it.
 */
async function handOut(
  { context }: Caller<PollParts>,
  run: Run,
  leaseToken: string,
  { executorTypes }: Runner,
): Promise<api.ClaimedRun> {
  const { store, tokens } = context;
  const { sessionId, rootSessionId, runId } = run;
  const [session, tree, completion, token] = await Promise.all([
    store.read.session(sessionId),
    store.read.tree(rootSessionId),
    run.purpose === 'state_update' ? store.read.completion(sessionId, run.generation) : null,
    tokens.mint({ sessionId, rootSessionId, runId, startedAt: null }),
  ]);
  const stateId = tree?.stateId ?? null;
  const shown = stateId === null ? null : shownByPrompt(run, stateId);
  const [agent, prompt, recap] = await Promise.all([
    agentOfRun(context.agents, session),
    promptOf(context, run, session, executorTypes),
    session !== null && isResumedByClient(run, session) ? recapOf(context, run) : undefined,
    stateId === null || shown === null ? undefined : context.readCursors.wasShown(sessionId, stateId, shown),
  ]);
  const contract = completion?.settings.contract ?? null;
  const agentName = session?.agentName ?? null;
  return {
    ...runView(run),
    prompt,
    lease_token: leaseToken,
    environment: {
      AGENT_SESSION_NAME: run.sessionName,
      AGENT_SESSION_ID: sessionId,
      AGENT_ROOT_SESSION_ID: rootSessionId,
      COUNTERSIGN_TOKEN: token,
      ...(stateId === null ? {} : { WORKFLOW_STATE_ID: stateId }),
      ...(agentName === null ? {} : { COUNTERSIGN_AGENT_NAME: agentName }),
    },
    project_dir: session?.projectDir ?? null,
    executor_session_id: session?.executorSessionId ?? null,
    ...(recap === undefined ? {} : { recap }),
    contract: contract === null ? null : { pointer: contract.pointer, schema: contract.schema },
    timeout_ms: run.timeoutMs,
    executor_type: run.demands.executorType ?? session?.executorType ?? null,
    ...(agent === undefined ? {} : { agent }),
  };
}

/** True if the run resumes a conversation that the agent's client keeps and may lose. A plain command keeps none. */
function isResumedByClient(run: Run, session: Session): boolean {
  return run.type === 'resume_session' && (run.demands.executorType ?? session.executorType) !== 'command';
}

/** The session's earlier prompts and result, for a client that has lost the conversation. */
async function recapOf(
  { store, limits }: PollParts,
  run: Run,
): Promise<NonNullable<api.ClaimedRun['recap']> | null> {
  const [asked, present, before] = await Promise.all([
    store.read.workRuns(run.sessionId),
    store.read.completion(run.sessionId, run.generation),
    // The generation before, if this run is new work.
    store.read.completion(run.sessionId, run.generation - 1),
  ]);
  const [first, ...later] = asked.filter((one) => one.runId !== run.runId);
  if (first === undefined) return null;
  const prompts = [first, ...later.slice(-1)].map(({ prompt }) => prompt);
  const resultText = present?.resultText ?? before?.resultText ?? null;
  return {
    prompts,
    result_text: resultText === null ? null : boundedText(resultText, limits.promptSectionBytesMax),
  };
}

/**
 * The version of the state that the prompt of a state update run shows; `null` if it shows none, or another state that the
 * tree had. The metadata of other runs belong to their callers.
 */
function shownByPrompt({ purpose, metadata }: Run, stateId: string): number | null {
  if (purpose !== 'state_update') return null;
  const { shown_state_version: shown, shown_state_id: of = stateId } = metadata;
  return typeof shown === 'number' && of === stateId ? shown : null;
}
