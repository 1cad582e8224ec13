// One schema engine for all services with the same limits in a test process: its threads take longer to start than most
// tests take.
import type { Limits } from '../../src/domain/limits.js';
import type { SchemaEngine } from '../../src/ports/schema-engine.js';
import { createSchemaEngine } from '../../src/schema/index.js';

const engines = new Map<string, SchemaEngine>();

/** Is never closed: an idle thread does not hold the process. */
export function sharedEngine(limits: Limits): SchemaEngine {
  const key = JSON.stringify(limits);
  const engine = engines.get(key) ?? createSchemaEngine(limits);
  engines.set(key, engine);
  return engine;
}
