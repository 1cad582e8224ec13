// The supported agent CLIs. A further client is a folder beside this file and one entry in the list.
import { takenArguments, type TakenArgument } from '../domain/agents/taken-flags.js';
import { claudeCode } from './claude-code/index.js';
import type { AgentClient } from './client.js';
import { codex } from './codex/index.js';
import { gemini } from './gemini/index.js';
import { opencode } from './opencode/index.js';

/** In the order in which help and messages list them. */
export const AGENT_CLIENTS = [claudeCode, codex, gemini, opencode] as const;

/** The name of a client in commands and paths. */
export type AgentClientName = (typeof AGENT_CLIENTS)[number]['name'];

export const AGENT_CLIENT_NAMES: readonly AgentClientName[] = AGENT_CLIENTS.map(({ name }) => name);

/** @throws Error If there is no such client: names are checked where they enter. */
export function agentClient(name: AgentClientName): AgentClient {
  const client = AGENT_CLIENTS.find((one) => one.name === name);
  if (client === undefined) throw new Error(`There is no agent client ${name}.`);
  return client;
}

/**
 * The user's arguments that are reserved for the runner. Empty for executors without a program of their own.
 *
 * @param executor - The type of the executor.
 * @param args - As the program would get them.
 */
export function takenByRunner(executor: string, args: readonly string[]): readonly TakenArgument[] {
  return takenArguments(AGENT_CLIENTS.find(({ name }) => name === executor)?.taken ?? [], args);
}
