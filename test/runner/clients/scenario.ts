// What the real clients are put through, and what their executors have to make of it: recorded by test/clients, replayed
// by test/runner/clients.
import type { ContractTerms } from '../../../src/runner/agent/output-schema.js';
import type { AgentSettings } from '../../../src/agent-clients/runs/agent-cli.js';
import type { ExecutionResult } from '../../../src/runner/index.js';
import type { Script } from '../../clients/stand-in/script.js';

/** Settings of a client that has another server beside, as a scenario wants it. */
export function settingsFor({ beside }: Pick<Scenario, 'beside'>, url: string): Partial<AgentSettings> {
  return beside === undefined ? {} : { mcpServers: { [beside]: { type: 'http', url } } };
}

export interface Scenario {
  readonly name: string;
  readonly script: Script;
  readonly expected: Partial<Omit<ExecutionResult, 'kind'>> & {
    readonly kind: ExecutionResult['kind'];
    readonly cause?: string;
    readonly error?: unknown;
    readonly stateValue?: unknown;
  };
  readonly tools: 'there' | 'missing' | 'unknown';
  /** away: nothing listens where the state's tools should be. silent: what listens there never answers. */
  readonly mcp?: 'away' | 'silent';
  readonly api?: 'away';
  /** Nobody has logged in. */
  readonly anonymous?: true;
  /** Has another server beside, with which nothing is right either. */
  readonly beside?: string;
  /** Goes on with a conversation: that of a run before, or one that is not there. */
  readonly resumes?: 'last' | 'unknown';
  /** Sent when the stream has this many lines. */
  readonly signal?: { readonly name: NodeJS.Signals; readonly afterLines: number };
  /** The contract whose value is asked for as the output. */
  readonly heldTo?: ContractTerms;
  readonly args?: readonly string[];
}
