// Parses the demands of a request on the runner that may claim its run.
import type { Demands } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';

export function demandsOf({ demands }: Pick<api.RunCreate, 'demands'>): Demands {
  return {
    hostname: demands?.hostname ?? null,
    executorType: demands?.executor_type ?? null,
    tags: demands?.tags ?? [],
  };
}
