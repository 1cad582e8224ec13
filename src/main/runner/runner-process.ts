// A runner with its executors, in the coordinator's process or in one of its own.
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { Logger } from '../../ports/runtime.js';
import type { RunnerService } from '../../ports/service.js';
import { createRunner, removeLeftFolders, type Runner } from '../../runner/index.js';
import type { RunnerCommandOptions } from '../../cli/index.js';
import { systemClock } from '../clock.js';
import { executorsOf } from './executors.js';
import { offerCommand } from './run-environment.js';

interface RunnerProcessOptions extends Omit<RunnerCommandOptions, 'token' | 'logLevel'> {
  readonly service: RunnerService;
  readonly logger: Logger;
}

/** The processes of its runs find `countersign` in PATH. Before it starts, it removes the files of killed runners. */
export function runnerProcess(options: RunnerProcessOptions): Runner {
  offerCommand();
  const runner = createRunner({
    ...options,
    executors: executorsOf(options.execution),
    limits: DEFAULT_LIMITS,
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
