// What came of a run of a client: from what its stream told, and how its process ended. Pure.
// The first that holds counts: not started, finished, ended from outside, lost tools, out of time, what the stream told,
// how the process ended.
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { FailureCause } from '../../domain/records/records.js';
import type { ExecutionResult } from '../executor.js';
import type { ProcessEnd } from '../process/run-process.js';
import { resultDataOf } from '../result-data.js';
import { MCP_SERVER, type AgentCli, type Seen } from './agent-cli.js';
import { parsed } from '../json-text.js';
import { causeOfExit, causeOfSpawnError } from './failure-cause.js';
import type { HeldOutput } from './output-schema.js';

/** What is known when the process has ended. */
export function seenAtEnd(cli: AgentCli, seen: Seen, end: ProcessEnd): Seen {
  const known = end.kind === 'not_spawned' || seen.end !== null ? seen : cli.readEnd(seen, end);
  return known.tools === 'away' ? { ...known, tools: 'missing' } : known;
}

export interface EndedHow {
  readonly end: ProcessEnd;
  /** The run was ended from outside, rather than by the runner for want of its tools. */
  readonly stopped: boolean;
  /** What it was held to give as its output, in place of the tools; `null` where it had them. */
  readonly held: HeldOutput | null;
}

/** @param known - What `seenAtEnd` gave. */
export function verdictOf(cli: AgentCli, known: Seen, { end, stopped, held }: EndedHow): ExecutionResult {
  if (end.kind === 'not_spawned') {
    const error = `${cli.title} (${cli.program}) could not be started: ${end.reason}`;
    return failed(NO_OUTPUT, error, causeOfSpawnError(end.reason));
  }
  const output = outputOf(known);
  // Finished work stays so, whatever came from outside after the stream had told of it.
  if (known.end?.kind === 'completed' && (known.tools !== 'missing' || held !== null)) {
    const value = held?.valueIn(known.value ?? parsed(known.text ?? undefined));
    return { kind: 'completed', ...output, ...(value === undefined ? {} : { stateValue: value }) };
  }
  if (stopped) return waitedInVain(cli, known, output) ?? { kind: 'stopped', ...output };
  if (known.tools === 'missing' && held === null) return failed(output, withoutTools(cli, known));
  if (end.by === 'timeout') {
    return (
      waitedInVain(cli, known, output) ?? { kind: 'failed', error: 'timed out', cause: 'agent', ...output }
    );
  }
  if (known.end?.kind === 'failed')
    return { ...known.end, error: `${cli.title}: ${known.end.error}`, ...output };
  const error = `${cli.title} ended without telling its result: ${howEnded(end)}`;
  return failed(output, error, causeOfExit(end.exitCode, printedLast(end)));
}

/** Where the time went into waiting for its model or its tools, the coordinator has to know: it is not the agent's failure. */
function waitedInVain(
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

/** Whoever reads it has to know what to look after. */
function withoutTools(cli: AgentCli, { end }: Seen): string {
  const why = end?.kind === 'failed' ? ` (${end.error})` : '';
  return `${cli.title} was without the tools of the state: its MCP server "${MCP_SERVER}" did not connect, or offered none${why}. Is the coordinator's /mcp within the agent's reach?`;
}

type Output = Pick<ExecutionResult, 'resultText' | 'resultData'> & { readonly usage?: JsonValue };

export const NO_OUTPUT: Output = { resultText: null, resultData: null };

function outputOf({ text, usage }: Seen): Output {
  const resultText = text?.trimEnd() ?? null;
  return {
    resultText,
    resultData: resultText === null ? null : resultDataOf(resultText, DEFAULT_LIMITS.documentDepthMax),
    ...(usage === null ? {} : { usage }),
  };
}

export function failed(output: Output, error: string, cause: FailureCause = 'environment'): ExecutionResult {
  return { kind: 'failed', error, cause, ...output };
}

function howEnded(end: ProcessEnd & { kind: 'ended' }): string {
  const how = end.exitSignal ?? `exit code ${String(end.exitCode)}`;
  const said = printedLast(end);
  return said === '' ? how : `${how}: ${said}`;
}

function printedLast({ stderr, stdout }: ProcessEnd & { kind: 'ended' }): string {
  return stderr.trim() === '' ? stdout.trim() : stderr.trim();
}
