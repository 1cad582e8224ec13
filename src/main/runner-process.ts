// A runner with its executors, beside a coordinator or alone.
import { DEFAULT_LIMITS } from '../domain/limits.js';
import type { Logger } from '../ports/runtime.js';
import type { RunnerService } from '../ports/service.js';
import { createCommandExecutor, createRunner, type Runner } from '../runner/index.js';
import { systemClock } from './clock.js';
import { offerCommand } from './run-environment.js';

export interface RunnerProcessOptions {
  readonly service: RunnerService;
  /** Where agents reach the coordinator. */
  readonly url: string;
  readonly exec: string;
  readonly hostname: string;
  readonly projectDir: string;
  readonly tags: readonly string[];
  readonly concurrentMax: number;
  readonly logger: Logger;
}

export function commandRunner(options: RunnerProcessOptions): Runner {
  offerCommand();
  return createRunner({
    service: options.service,
    url: options.url,
    executors: { command: createCommandExecutor({ command: options.exec }) },
    hostname: options.hostname,
    projectDir: options.projectDir,
    tags: options.tags,
    concurrentMax: options.concurrentMax,
    limits: DEFAULT_LIMITS,
    logger: options.logger,
    clock: systemClock,
  });
}
