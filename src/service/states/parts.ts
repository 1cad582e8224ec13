// What the use cases of states use.
import type { Semaphore } from '../../domain/semaphore.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { IdSource } from '../../ports/runtime.js';
import type { Clock } from '../../ports/runtime.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import type { Contracts } from '../completion/contracts.js';
import type { OpenContracts } from '../completion/open-contracts.js';
import type { KnownRecords } from '../known-records.js';
import type { InFlight } from '../scheduling/in-flight.js';
import type { Notifier } from '../scheduling/notifier.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { StateFactsCache } from './state-facts.js';
import type { TimeTexts } from './time-texts.js';
import type { SchemaParts } from '../schemas/parts.js';
import type { WriteStateParts } from '../writes/write-state.js';

export interface StateParts extends SchemaParts, WriteStateParts {
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly agents: AgentRegistry;
  readonly schemas: SchemaCache;
  readonly facts: StateFactsCache;
  readonly known: KnownRecords;
  readonly contracts: Contracts;
  readonly openContracts: OpenContracts;
  readonly times: TimeTexts;
  /** Calls that wait for a state. */
  readonly stateWaits: InFlight;
  readonly notifier: Notifier;
  readonly conditionWaits: Semaphore;
  readonly slices: TimeSlices;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}
