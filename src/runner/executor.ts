// The interface of an executor. A runner has one per executor type and knows nothing of how an agent is run.
import type { FailureCause } from '../domain/records/records.js';
import type { JsonValue } from '../domain/json/json.js';
import type { ClaimedRun } from '../ports/api/index.js';
import type { RunAgent } from './run-agent.js';

/**
 * Why a run is ended from outside. stop: the coordinator ordered it. shutdown: the runner shuts down. excess: the
 * runner got more runs than it asked for. lost: another runner holds the run by now, so this one must not do
 * anything more.
 */
export type EndReason = 'stop' | 'shutdown' | 'excess' | 'lost';

export interface ExecutionContext {
  /** Variables for the agent: those of the claim, and the URL of the service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Working directory of the agent. */
  readonly projectDir: string;
  /** The named agent of the run, if any. */
  readonly agent?: RunAgent | null;
  /** Ends the run. Its `reason` is an `EndReason`. */
  readonly signal: AbortSignal;
  /** The run is `lost`, possibly after another reason: all of its processes must end at once. */
  readonly lost: AbortSignal;
  /** Must be called once, when the agent runs, with the executor's own conversation id if it has one. */
  readonly onStarted: (executorSessionId: string | null) => void;
  /** Gets notes on the run for the log. */
  readonly onNote?: (note: string, executorSessionId: string) => void;
}

/** What an executor knows of the output of a run. */
export interface Output {
  readonly resultText: string | null;
  readonly resultData: JsonValue;
  /** What the run used, in the executor's own format. */
  readonly usage?: JsonValue;
}

/** stopped: the signal ended the run. */
export type ExecutionResult =
  | ({
      readonly kind: 'completed';
      /** For an update run whose agent returned its result under an output schema. */
      readonly stateValue?: JsonValue;
    } & Output)
  | ({ readonly kind: 'failed'; readonly error: string; readonly cause: FailureCause } & Output)
  | ({ readonly kind: 'stopped' } & Output);

export const NO_OUTPUT: Output = { resultText: null, resultData: null };

export function failed(output: Output, error: string, cause: FailureCause = 'environment'): ExecutionResult {
  return { kind: 'failed', error, cause, ...output };
}

export interface Executor {
  /** Resolves when nothing of the run is left. An exception counts as a failure of the environment. */
  execute(run: ClaimedRun, context: ExecutionContext): Promise<ExecutionResult>;
}
