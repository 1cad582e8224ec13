// The executor `command`: any program can be an agent. Prompt on standard input, result on standard output.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { FailureCause } from '../../domain/records/records.js';
import { failed, NO_OUTPUT, type ExecutionResult, type Executor } from '../executor.js';
import { causeOfSpawnError } from '../../agent-clients/runs/failure-cause.js';
import { childEnvironment } from '../process/child-environment.js';
import { resultDataOf } from '../result-data.js';
import { whyUnusable } from '../process/working-directory.js';
import { processTimes, type ProcessTimes } from '../process-times.js';
import { runProcess, type ProcessEnd } from '../process/run-process.js';
import type { RunAgent } from '../run-agent.js';

export interface CommandExecutorOptions extends ProcessTimes {
  /** A shell command line; empty if only named agents define one. */
  readonly command: string;
  /** Path of the shell; the system's default shell if absent. */
  readonly shell?: string;
  /** Bound of the result text. */
  readonly outputBytesMax?: number;
}

const ERROR_BYTES_MAX = 4 * 1024;
const NO_COMMAND = 'neither the agent nor the runner (--exec) names one';

/** EX_TEMPFAIL of sysexits.h. */
const TEMPORARY_FAILURE = 75;
/** Exit codes of a shell: not executable, not found. */
const NOT_RUNNABLE: ReadonlySet<number> = new Set([126, 127]);
/** A shell whose command was ended by a signal exits with its number and this. */
const SIGNALLED = 128;
/** Signals from outside: the kernel's OOM killer, an operator, a shutdown. */
const ENVIRONMENT_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT']);

/**
 * Runs a command line for each run; that of the named agent takes precedence over the runner's. The prompt is its
 * standard input, the run's directory its working directory, and the context is in its environment. Its output is
 * the result text; if the last line is a JSON object, that is also the result data. Exit code 0 means a completed
 * run.
 */
export function createCommandExecutor(options: CommandExecutorOptions): Executor {
  return {
    async execute(run, { environment, projectDir, agent = null, signal, lost, onStarted }) {
      const command = agent?.command ?? options.command;
      if (command === '') return interpret({ kind: 'not_spawned', reason: NO_COMMAND });
      const reason = await whyUnusable(projectDir);
      if (reason !== null) return interpret({ kind: 'not_spawned', reason });
      const executorSessionId = run.executor_session_id ?? randomUUID();
      return interpret(
        await runProcess({
          command,
          shell: options.shell ?? true,
          cwd: projectDir,
          environment: childEnvironment(
            process.env,
            { ...environment, ...agentVariables(agent) },
            run,
            executorSessionId,
          ),
          input: run.prompt,
          outputBytesMax: options.outputBytesMax ?? DEFAULT_LIMITS.resultBytesMax,
          errorBytesMax: ERROR_BYTES_MAX,
          ...processTimes(options, run),
          signal,
          lost,
          onSpawned: () => onStarted(executorSessionId),
        }),
      );
    },
  };
}

/** Optional information for the command. */
function agentVariables(agent: RunAgent | null): Record<string, string> {
  if (agent === null) return {};
  const { model, systemPrompt, mcpServers } = agent;
  return {
    ...(model === null ? {} : { COUNTERSIGN_MODEL: model }),
    ...(systemPrompt === null ? {} : { COUNTERSIGN_SYSTEM_PROMPT: systemPrompt }),
    ...(Object.keys(mcpServers).length === 0
      ? {}
      : { COUNTERSIGN_MCP_SERVERS: JSON.stringify({ mcpServers }) }),
  };
}

function interpret(end: ProcessEnd): ExecutionResult {
  if (end.kind === 'not_spawned') {
    return failed(
      NO_OUTPUT,
      `The command could not be started: ${end.reason}`,
      causeOfSpawnError(end.reason),
    );
  }
  const resultText = end.stdout.trimEnd();
  const output = { resultText, resultData: resultDataOf(resultText) };
  if (end.by === 'signal') return { kind: 'stopped', ...output };
  if (end.by === 'timeout') return failed(output, 'timed out', 'agent');
  if (end.exitCode === 0) return { kind: 'completed', ...output };
  const signal = end.exitSignal ?? signalOf(end.exitCode);
  return failed(output, errorOf(end.exitCode, signal, end.stderr), causeOf(end.exitCode, signal));
}

/** The signal that ended the command of a shell; `null` if none did. */
function signalOf(exitCode: number | null): NodeJS.Signals | null {
  const number = (exitCode ?? 0) - SIGNALLED;
  const names = Object.keys(constants.signals) as NodeJS.Signals[];
  return names.find((name) => constants.signals[name] === number) ?? null;
}

function errorOf(exitCode: number | null, signal: NodeJS.Signals | null, stderr: string): string {
  const how = signal === null ? `exited with code ${String(exitCode)}` : `was ended by ${signal}`;
  const why = stderr.trim();
  return why === '' ? `The command ${how}` : `The command ${how}: ${why}`;
}

function causeOf(exitCode: number | null, signal: NodeJS.Signals | null): FailureCause {
  if (signal !== null) return ENVIRONMENT_SIGNALS.has(signal) ? 'environment' : 'agent';
  if (exitCode === TEMPORARY_FAILURE) return 'environment';
  return exitCode !== null && NOT_RUNNABLE.has(exitCode) ? 'configuration' : 'agent';
}
