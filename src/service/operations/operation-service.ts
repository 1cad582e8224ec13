// Use cases of the operator.
import { mayUse } from '../../domain/access/access.js';
import { ok } from '../../domain/errors.js';
import type { OperationService } from '../../ports/service.js';
import type { Store } from '../../ports/store.js';
import type { Clock } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Caller } from '../caller.js';
import { examineAll } from './doctor.js';
import { andThen } from '../results.js';

export interface OperationServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
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
  };
}
