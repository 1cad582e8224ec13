// The result of a run, from the client's stream and from the end of its process. Pure. The first match decides:
// not started, finished, stopped, tools missing, timed out, end according to the stream, end of the process.
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { failed, NO_OUTPUT, type ExecutionResult, type Output } from '../executor.js';
import type { ProcessEnd } from '../process/run-process.js';
import { resultDataOf } from '../result-data.js';
import { MCP_SERVER, type AgentCli, type Seen } from '../../agent-clients/runs/agent-cli.js';
import { parsed } from '../../agent-clients/runs/json-text.js';
import { causeOfExit, causeOfSpawnError } from '../../agent-clients/runs/failure-cause.js';
import type { EnforcedOutput } from './output-schema.js';

const TOO_LONG = `a line of its output has more than ${String(DEFAULT_LIMITS.agentLineCharactersMax)} characters, and was not read`;

/** The final state of the stream, with what only the end of the process reveals. */
export function seenAtEnd(cli: AgentCli, seen: Seen, end: ProcessEnd): Seen {
  const known = end.kind === 'not_spawned' || seen.end !== null ? seen : cli.readEnd(seen, end);
  return known.tools === 'away' ? { ...known, tools: 'missing' } : known;
}

interface RunEnding {
  readonly end: ProcessEnd;
  /** The run was stopped, and not ended by the runner because its tools were missing. */
  readonly stopped: boolean;
  /** A line of its output was too long to be read. */
  readonly isCut?: boolean;
  /** The output schema that replaces the tools; `null` if the run had the tools. */
  readonly enforced: EnforcedOutput | null;
}

/** @param known - The result of `seenAtEnd`. */
export function runResultOf(
  cli: AgentCli,
  known: Seen,
  { end, stopped, enforced, isCut = false }: RunEnding,
): ExecutionResult {
  if (end.kind === 'not_spawned') {
    const error = `${cli.title} (${cli.program}) could not be started: ${end.reason}`;
    return failed(NO_OUTPUT, error, causeOfSpawnError(end.reason));
  }
  const output = outputOf(known);
  // Finished work stays finished, whatever happens after the stream reported its end.
  if (known.end?.kind === 'completed' && (known.tools !== 'missing' || enforced !== null)) {
    const value = enforced?.valueIn(known.value ?? parsed(known.text ?? undefined));
    return { kind: 'completed', ...output, ...(value === undefined ? {} : { stateValue: value }) };
  }
  if (stopped) return failureWhileWaiting(cli, known, output) ?? { kind: 'stopped', ...output };
  if (known.tools === 'missing' && enforced === null) return failed(output, withoutTools(cli, known));
  if (end.by === 'timeout') {
    return failureWhileWaiting(cli, known, output) ?? failed(output, 'timed out', 'agent');
  }
  if (known.end?.kind === 'failed')
    return { ...known.end, error: `${cli.title}: ${known.end.error}`, ...output };
  const error = `${cli.title} ended without telling its result: ${exitText(end)}`;
  // Another attempt would end alike.
  if (isCut && end.exitCode === 0) return failed(output, `${error}; ${TOO_LONG}`, 'agent');
  return failed(output, error, causeOfExit(end.exitCode, lastOutput(end)));
}

/**
 * A failure instead of a stop or timeout, if the client spent its time waiting for its model or tools: that is
 * not the agent's failure.
 */
function failureWhileWaiting(
  cli: AgentCli,
  { end, conversationId, tools }: Seen,
  output: Output,
): ExecutionResult | null {
  if (end === null && conversationId === null && tools !== 'there') {
    const error = `${cli.title} had not begun when it was ended: it still waited for the tools of the state, or for its model`;
    return failed(output, error);
  }
  if (end?.kind !== 'failed' || end.cause === 'agent') return null;
  return { ...end, error: `${cli.title}: ${end.error}`, ...output };
}

/** The message names what the operator should check. */
function withoutTools(cli: AgentCli, { end }: Seen): string {
  const why = end?.kind === 'failed' ? ` (${end.error})` : '';
  return `${cli.title} was without the tools of the state: its MCP server "${MCP_SERVER}" did not connect, or offered none${why}. Is the coordinator's /mcp within the agent's reach?`;
}

function outputOf({ text, usage }: Seen): Output {
  const resultText = text?.trimEnd() ?? null;
  return {
    resultText,
    resultData: resultText === null ? null : resultDataOf(resultText),
    ...(usage === null ? {} : { usage }),
  };
}

function exitText(end: ProcessEnd & { kind: 'ended' }): string {
  const how = end.exitSignal ?? `exit code ${String(end.exitCode)}`;
  const output = lastOutput(end);
  return output === '' ? how : `${how}: ${output}`;
}

function lastOutput({ stderr, stdout }: ProcessEnd & { kind: 'ended' }): string {
  return stderr.trim() === '' ? stdout.trim() : stderr.trim();
}
