// The executors that a runner was asked for, by their types.
import type { ExecutionOptions } from '../cli/index.js';
import { AGENT_CLIS, createAgentExecutor, createCommandExecutor, type Executor } from '../runner/index.js';

/** In the order in which they were asked for: the first takes runs that name none. */
export function executorsOf(options: ExecutionOptions): Readonly<Record<string, Executor>> {
  const settings = { model: options.agentModel, args: options.agentArgs };
  const entries = options.executors.flatMap((type): [string, Executor][] => {
    if (type === 'command') return [[type, createCommandExecutor({ command: options.exec })]];
    const cli = AGENT_CLIS.find((one) => one.type === type);
    return cli === undefined
      ? []
      : [[type, createAgentExecutor(cli, { settings, recordBy: options.recordBy })]];
  });
  return Object.fromEntries(entries);
}
