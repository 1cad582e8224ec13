// The supported agent CLIs. A further client is a folder beside this file and a line here.
import { takenArguments, type TakenArgument } from '../domain/agents/taken-flags.js';
import type { AgentCli } from './runs/agent-cli.js';
import { claudeCode } from './claude-code/cli.js';
import { codex } from './codex/cli.js';
import { gemini } from './gemini/cli.js';
import { opencode } from './opencode/cli.js';

export const AGENT_CLIS: readonly AgentCli[] = [claudeCode, codex, gemini, opencode];

/**
 * The user's arguments that are reserved for the runner. Empty for executors without a program of their own.
 *
 * @param executor - The type of the executor.
 * @param args - As the program would get them.
 */
export function takenByRunner(executor: string, args: readonly string[]): readonly TakenArgument[] {
  return takenArguments(AGENT_CLIS.find(({ type }) => type === executor)?.taken ?? [], args);
}
