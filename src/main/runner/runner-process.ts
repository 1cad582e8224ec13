// A runner with its executors, in the coordinator's process or in one of its own.
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { Logger } from '../../ports/runtime.js';
import type { RunnerService } from '../../ports/service.js';
import { createRunner, removeLeftFolders, type Runner } from '../../runner/index.js';
import type { ExecutionOptions } from '../../cli/index.js';
import { systemClock } from '../clock.js';
import { executorsOf } from './executors.js';
import { offerCommand } from './run-environment.js';

interface RunnerProcessOptions {
  readonly service: RunnerService;
  /** The URL under which agents reach the coordinator. */
  readonly url: string;
  readonly execution: ExecutionOptions;
  readonly hostname: string;
  readonly projectDir: string;
  readonly tags: readonly string[];
  readonly concurrentMax: number;
  readonly logger: Logger;
}

/** The processes of its runs find `countersign` in PATH. Before it starts, it removes the files of killed runners. */
export function runnerProcess(options: RunnerProcessOptions): Runner {
  offerCommand();
  const runner = createRunner({
    service: options.service,
    url: options.url,
    executors: executorsOf(options.execution),
    hostname: options.hostname,
    projectDir: options.projectDir,
    tags: options.tags,
    concurrentMax: options.concurrentMax,
    limits: DEFAULT_LIMITS,
    logger: options.logger,
    clock: systemClock,
  });
  return {
    async start() {
      const removed = await removeLeftFolders(systemClock.now());
      if (removed > 0) options.logger.warn({ removed }, 'files of killed runners are removed');
      await runner.start();
    },
    stop: (mode) => runner.stop(mode),
  };
}
