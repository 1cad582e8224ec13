// Use cases of runners: registering, claiming runs, heartbeats, reports.
import { mayUse } from '../../domain/access/access.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { ok, invalidMember, fail } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { heartbeat as heartbeatRule, heartbeatIntervalMs } from '../../domain/runs/claim.js';
import { noRun } from '../../domain/lifecycle/run.js';
import { report as reportRule, type Held, type Report } from '../../domain/runs/report.js';
import type { Run } from '../../domain/records/records.js';
import type { RunnerService } from '../../ports/service.js';
import type { Caller } from '../caller.js';
import { mapped, andThen } from '../results.js';
import { pollForRuns, type PollParts } from './poll.js';
import { recordOnBehalf, type RecordOnBehalfParts } from './record-on-behalf.js';
import { secretHash } from '../access/secrets.js';
import type { EffectName } from '../transactions/idempotency-store.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import { runView } from '../views.js';
import { listRunners } from './list-runners.js';

export interface RunnerServiceParts extends PollParts, RecordOnBehalfParts {}

interface Lease {
  readonly runner_id: string;
  readonly attempt: number;
  readonly lease_token: string;
}

export function runnerService(caller: Caller<RunnerServiceParts>): RunnerService {
  const { context, actor } = caller;
  const { store, limits, transactions } = context;

  /** @param value - A value to write into the state on the child's behalf, before its run ends. */
  const report = async (runId: string, lease: Lease, said: Report, value?: JsonValue) =>
    mapped(
      await transactions.effect('report_run', (decisions) =>
        andThen(mayUse(actor, 'run'), async () => {
          const run = await store.read.run(runId);
          if (run === null) return noRun(runId);
          const runner = {
            runId,
            runnerId: lease.runner_id,
            attempt: lease.attempt,
            leaseHash: secretHash(lease.lease_token),
          };
          if (value !== undefined) await recordOnBehalf(context, run, runner, value);
          return decisions.decide(run.rootSessionId, [{ load: 'run', runId }], (unit) =>
            reportRule(unit, runner, said),
          );
        }),
      ),
      runView,
    );

  return {
    async register(body) {
      const registered = await transactions.effect('register_runner', (decisions) =>
        andThen(mayUse(actor, 'run'), () =>
          decisions.decideFree([], (unit) => {
            const runner = {
              runnerId: unit.context.newId('rnr'),
              hostname: body.hostname,
              projectDir: body.project_dir ?? null,
              executorTypes: body.executor_types,
              tags: body.tags ?? [],
              concurrentMax: body.max_concurrent ?? limits.runnerConcurrentDefault,
              lastSeenAt: unit.now,
              createdAt: unit.now,
              revision: 0,
            };
            unit.put('runner', runner, undefined);
            return ok(runner);
          }),
        ),
      );
      return mapped(registered, ({ runnerId }) => ({
        runner_id: runnerId,
        poll_timeout_ms: limits.pollTimeoutMs,
        heartbeat_interval_ms: heartbeatIntervalMs(limits),
        lease_ms: limits.leaseMs,
      }));
    },
    list: (query = {}) => listRunners(caller, query),
    async remove(runnerId) {
      return transactions.effect('delete_runner', (decisions) =>
        andThen(mayUse(actor, 'run'), () =>
          decisions.decideFree([{ load: 'runner', runnerId }], (unit) => {
            if (!unit.records.runners.has(runnerId))
              return fail('runner_not_found', `There is no runner ${runnerId}.`);
            unit.remove('runner', runnerId);
            return ok(null);
          }),
        ),
      );
    },
    poll: (query, signal) => andThen(mayUse(actor, 'run'), () => pollForRuns(caller, query, signal)),
    async heartbeat(body) {
      return andThen(mayUse(actor, 'run'), async () => {
        const runs = body.runs.map((one) => ({
          runId: one.run_id,
          runnerId: body.runner_id,
          attempt: one.attempt,
          leaseHash: secretHash(one.lease_token),
        }));
        const result = await heartbeatOf(transactions, body.runner_id, runs);
        return mapped(result, ({ lost, stop }) => ({ lost, stop_runs: stop }));
      });
    },
    started: (runId, body) =>
      report(runId, body, {
        type: 'started',
        executorType: body.executor_type ?? null,
        executorSessionId: body.executor_session_id ?? null,
      }),
    completed(runId, body) {
      const { state_value: value, state_value_refused: valueFailure } = body;
      if (value !== undefined && valueFailure !== undefined) {
        return andThen(mayUse(actor, 'run'), () =>
          invalidMember('/state_value_refused', 'takes the place of state_value', 'one of the two'),
        );
      }
      return report(
        runId,
        body,
        {
          type: 'completed',
          ...resultOf(body),
          usage: body.usage ?? null,
          executorSessionId: body.executor_session_id ?? null,
          valueFailure,
        },
        value,
      );
    },
    failed: (runId, body) =>
      report(runId, body, {
        type: 'failed',
        ...resultOf(body),
        error: body.error,
        cause: body.cause ?? 'agent',
        usage: body.usage ?? null,
      }),
    stopped: (runId, body) =>
      report(runId, body, { type: 'stopped', ...resultOf(body), usage: body.usage ?? null }),
  };
}

function resultOf(body: { result_text?: string | null; result_data?: Run['usage'] }) {
  return { resultText: body.result_text ?? null, resultData: body.result_data ?? null };
}

type Beat = ReturnType<typeof heartbeatRule>;

/** Renews leases. If a record is damaged, only that run's lease is not renewed; the runner's other runs keep theirs. */
async function heartbeatOf(
  transactions: TreeTransactions,
  runnerId: string,
  held: readonly Held[],
): Promise<Beat> {
  const beat = (effect: EffectName, runs: readonly Held[]) =>
    transactions.effect(effect, (decisions) =>
      decisions.decideFree([], (unit) => heartbeatRule(unit, runnerId, runs)),
    );
  try {
    return await beat('heartbeat', held);
  } catch (error) {
    if (!(error instanceof RecordDamagedError)) throw error;
  }
  const all: { lost: string[]; stop: string[] } = { lost: [], stop: [] };
  for (const one of held) {
    try {
      const result = await beat(`heartbeat ${one.runId}`, [one]);
      if (!result.ok) return result;
      all.lost.push(...result.value.lost);
      all.stop.push(...result.value.stop);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
    }
  }
  return ok(all);
}
