// Use cases of the operator.
import { mayUse, rightsOf } from '../../domain/access/access.js';
import type { Actor } from '../../domain/access/actor.js';
import { fail, ok, type Result } from '../../domain/errors.js';
import type { OperationService } from '../../ports/service.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Caller } from '../caller.js';
import type { RecentActivity } from './activity.js';
import { examineAll } from './doctor.js';
import { andThen } from '../results.js';

export interface OperationServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly activity: RecentActivity;
}

export function operationService({ context, actor }: Caller<OperationServiceParts>): OperationService {
  return {
    async doctor() {
      return andThen(mayUse(actor, 'operate'), async () => {
        const findings = await examineAll(
          context.store.read,
          context.clock.now(),
          context.limits.findingsMax,
        );
        return ok({ healthy: findings.length === 0, findings: findings.map((one) => ({ ...one })) });
      });
    },
    whoAmI: () =>
      Promise.resolve(
        ok({
          kind: actor.kind,
          session_id: actor.kind === 'session' ? actor.sessionId : null,
          token_name: actor.kind === 'session' ? null : actor.tokenName,
          rights: [...rightsOf(actor)],
        }),
      ),
    activity: () => andThen(mayReadNumbers(actor), () => ok(context.activity.read())),
    overview: () =>
      andThen(mayReadNumbers(actor), async () => {
        const { read } = context.store;
        const { trees, workflow_states, ...byStatus } = await read.counts();
        const runners = await read.runners();
        const active = await Promise.all(
          runners.map(async ({ runnerId }) => (await read.runsOfRunner(runnerId)).length),
        );
        return ok({
          trees: { active: trees['active'] ?? 0 },
          workflow_states: { all: workflow_states['all'] ?? 0 },
          ...byStatus,
          runners: {
            all: runners.length,
            max_concurrent: sum(runners.map(({ concurrentMax }) => concurrentMax)),
            active_runs: sum(active),
          },
        });
      }),
  };
}

function mayReadNumbers(actor: Actor): Result<null> {
  const may = mayUse(actor, 'read');
  if (!may.ok || actor.kind !== 'session') return may;
  return fail('forbidden', 'A session may not read numbers of all trees.');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
