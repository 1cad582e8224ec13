// What executes a run. A runner holds one per executor type; it knows nothing of how an agent is run.
import type { FailureCause } from '../domain/records/records.js';
import type { JsonValue } from '../domain/json/json.js';
import type { ClaimedRun } from '../ports/api/index.js';
import type { RunAgent } from './run-agent.js';

/**
 * Why a run is ended from outside. stop: the coordinator ordered it. shutdown: the runner goes away.
 * excess: more was handed out than was asked for. lost: the run is someone else's by now, and must not do anything more.
 */
export type EndReason = 'stop' | 'shutdown' | 'excess' | 'lost';

export interface ExecutionContext {
  /** Variables for the agent: those of the claim, and under which URL it reaches the service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the agent works. */
  readonly projectDir: string;
  /** The named agent that the run is for, where there is one. */
  readonly agent?: RunAgent | null;
  /** Ends the run. Its `reason` is an `EndReason`; on `lost` nothing may be left running, at once. */
  readonly signal: AbortSignal;
  /** To be called once, when the agent runs; with the executor's own id of the conversation, where it has one. */
  readonly onStarted: (executorSessionId: string | null) => void;
  /** Hears what a run went through, for the log. */
  readonly onNote?: (note: string, executorSessionId: string) => void;
}

interface Output {
  readonly resultText: string | null;
  readonly resultData: JsonValue;
  /** What was spent, in the executor's own words. */
  readonly usage?: JsonValue;
}

/** stopped: the run was ended by the signal. */
export type ExecutionResult =
  | ({
      readonly kind: 'completed';
      /** Of an update run whose agent was held to give its result as its output. */
      readonly stateValue?: JsonValue;
    } & Output)
  | ({ readonly kind: 'failed'; readonly error: string; readonly cause: FailureCause } & Output)
  | ({ readonly kind: 'stopped' } & Output);

export interface Executor {
  /** Resolves when nothing of the run is left; what throws is taken for a failure of the surroundings. */
  execute(run: ClaimedRun, context: ExecutionContext): Promise<ExecutionResult>;
}
