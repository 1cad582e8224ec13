// Creates the executors of a runner by type.
import { AGENT_CLIENTS } from '../../agent-clients/index.js';
import type { ExecutionOptions } from '../../cli/index.js';
import { createAgentExecutor, createCommandExecutor, type Executor } from '../../runner/index.js';

/** In the requested order: the first one executes runs that name no executor. */
export function executorsOf(options: ExecutionOptions): Readonly<Record<string, Executor>> {
  const settings = { model: options.agentModel, args: options.agentArgs };
  const entries = options.executors.flatMap((type): [string, Executor][] => {
    if (type === 'command') return [[type, createCommandExecutor({ command: options.exec })]];
    const cli = AGENT_CLIENTS.find(({ name }) => name === type);
    return cli === undefined
      ? []
      : [[type, createAgentExecutor(cli, { settings, recordBy: options.recordBy })]];
  });
  return Object.fromEntries(entries);
}
