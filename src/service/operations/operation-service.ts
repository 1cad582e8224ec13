// Use cases of the operator.
import { mayUse } from '../../domain/access/access.js';
import { accepted } from '../../domain/errors.js';
import type { OperationService } from '../../ports/service.js';
import type { Caller } from '../context.js';
import { examineAll } from './doctor.js';
import { andThen } from '../outcomes.js';

export function operationService({ context, actor }: Caller): OperationService {
  return {
    async doctor() {
      return andThen(mayUse(actor, 'operate'), async () => {
        const findings = await examineAll(
          context.store.read,
          context.clock.now(),
          context.limits.findingsMax,
        );
        return accepted({ healthy: findings.length === 0, findings: findings.map((one) => ({ ...one })) });
      });
    },
  };
}
