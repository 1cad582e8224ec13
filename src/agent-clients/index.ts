// The supported agent CLIs. A further client is a folder beside this file and its entry in this list.
import { reservedArguments, type ReservedArgument } from '../domain/agents/reserved-flags.js';
import { claudeCode } from './claude-code/index.js';
import type { AgentClient } from './client.js';
import { codex } from './codex/index.js';
import { gemini } from './gemini/index.js';
import { opencode } from './opencode/index.js';

/** In the order in which help and messages list them. */
const CLIENTS = [claudeCode, codex, gemini, opencode] as const;

/** The name of a client in commands and paths. */
export type AgentClientName = (typeof CLIENTS)[number]['name'];

export const AGENT_CLIENTS: readonly AgentClient<AgentClientName>[] = CLIENTS;

export const AGENT_CLIENT_NAMES: readonly AgentClientName[] = CLIENTS.map(({ name }) => name);

/** The types of executors of this product's runner: a command line, or an agent CLI. Other runners may have further ones. */
export type ExecutorType = 'command' | AgentClientName;
export const EXECUTOR_TYPES: readonly ExecutorType[] = ['command', ...AGENT_CLIENT_NAMES];

/** @throws Error - There is no such client. Commands and paths are checked before. */
export function agentClient(name: string): AgentClient<AgentClientName> {
  const client = AGENT_CLIENTS.find((one) => one.name === name);
  if (client === undefined) throw new Error(`There is no client ${name}`);
  return client;
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
