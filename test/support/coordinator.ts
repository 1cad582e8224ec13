// Coordinators without a server, in the process of the test.
import type { SigningKeys } from '../../src/domain/evidence/keys.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import { RandomIds } from '../../src/main/clock.js';
import type { Countersign } from '../../src/ports/service.js';
import type { Clock, Logger } from '../../src/ports/runtime.js';
import type { Store } from '../../src/ports/storage/store.js';
import { workflowSchema } from '../../src/main/workflow-schema.js';
import { startService, type RunningService } from '../../src/service/index.js';
import { openCoordinatorStore } from '../../src/store/index.js';
import { systemClock } from '../../src/main/clock.js';
import { sharedEngine } from './shared-engine.js';

const ignore = () => undefined;
export const silent: Logger = { verbose: false, debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface TestCoordinator {
  readonly service: RunningService;
  readonly operator: Countersign;
  close(): Promise<void>;
}

/** Starts a coordinator on a database. */
export async function startTestCoordinator(
  db: string,
  overrides: Partial<Limits> = {},
  keys: SigningKeys | null = null,
): Promise<TestCoordinator> {
  const opened = await openCoordinatorStore({
    db,
    keys,
    clock: systemClock,
    logger: silent,
    onError: ignore,
  });
  const coordinator = await startCoordinatorOn(opened.store, { clock: opened.clock, overrides, keys });
  return {
    ...coordinator,
    close: async () => {
      await coordinator.close();
      await opened.close();
    },
  };
}

interface CoordinatorOptions {
  readonly clock?: Clock;
  readonly overrides?: Partial<Limits>;
  readonly keys?: SigningKeys | null;
  readonly logger?: Logger;
}

/** Starts a coordinator on a store that stays open. */
export async function startCoordinatorOn(
  store: Store,
  { clock = systemClock, overrides = {}, keys = null, logger = silent }: CoordinatorOptions = {},
): Promise<TestCoordinator> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...overrides };
  const service = await startService({
    store,
    engine: sharedEngine(limits),
    clock,
    ids: new RandomIds(),
    limits,
    keys,
    logger,
    auth: false,
    workflowSchema,
    webhooks: { allow: ['127.0.0.0/8'] },
  });
  return {
    service,
    operator: service.as({ kind: 'operator', tokenName: null }),
    close: () => service.close(),
  };
}
