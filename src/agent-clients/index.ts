// The supported agent CLIs. A further client is a folder beside this file, its name in names.ts and one entry here.
import { reservedArguments, type ReservedArgument } from '../domain/agents/reserved-flags.js';
import { claudeCode } from './claude-code/index.js';
import type { AgentClient } from './client.js';
import { codex } from './codex/index.js';
import { gemini } from './gemini/index.js';
import { AGENT_CLIENT_NAMES, type AgentClientName } from './names.js';
import { opencode } from './opencode/index.js';

const BY_NAME: Readonly<Record<AgentClientName, AgentClient>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
};

export const AGENT_CLIENTS: readonly AgentClient[] = AGENT_CLIENT_NAMES.map((name) => BY_NAME[name]);

export function agentClient(name: AgentClientName): AgentClient {
  return BY_NAME[name];
}

/**
 * The user's arguments that are reserved for the runner. Empty for executors without a program of their own.
 *
 * @param executor - The type of the executor.
 * @param args - As the program would get them.
 */
export function reservedByRunner(executor: string, args: readonly string[]): readonly ReservedArgument[] {
  return reservedArguments(AGENT_CLIENTS.find(({ name }) => name === executor)?.reservedFlags ?? [], args);
}

/** How runs of an executor write to the state: clients get the state tools, a plain command runs commands. */
export function wayToRecord(executor: string): 'tool' | 'command' | 'either' {
  if (AGENT_CLIENTS.some(({ name }) => name === executor)) return 'tool';
  return executor === 'command' ? 'command' : 'either';
}
