// The context of a decision that looks at no document and no schema.
import type { DecisionContext } from '../../domain/transactions/decision-context.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Limits } from '../../domain/limits.js';
import type { Clock, IdSource } from '../../ports/runtime.js';

interface Parts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly keys: SigningKeys | null;
}

export function bareContext({ clock, ids, limits, keys }: Parts): DecisionContext {
  return {
    now: clock.now(),
    limits,
    newId: (prefix) => ids.newId(prefix),
    keys,
    documentOf: () => undefined,
    contractViolationsOf: () => undefined,
    ruledOut: () => null,
    exampleOf: () => null,
    webhooks: () => [],
  };
}
