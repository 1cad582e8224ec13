// Computes the usage of one run for clients that report the total of the conversation. Knows no client.
import { boundedCache } from '../../lib/bounded-cache.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { AgentCall, Usage } from '../../agent-clients/runs/agent-cli.js';

/** The last reported totals of conversations, in memory: a restarted runner knows none. */
export class RunUsage {
  readonly #totals = boundedCache<string, Usage>(DEFAULT_LIMITS.agentUsageFactsMax);

  /**
   * The difference to the total before. Counts each total once.
   *
   * @param total - As reported by the client.
   * @returns The total itself, marked `whole_conversation`, if the one before is unknown.
   */
  of({ resumes }: Pick<AgentCall, 'resumes'>, conversationId: string, total: Usage): Usage {
    const before = resumes ? this.#totals.get(conversationId) : {};
    this.#totals.set(conversationId, total);
    if (before === undefined) return { ...total, whole_conversation: true };
    return { ...total, ...less(total, before) };
  }
}

const SUMMED = ['input_tokens', 'cached_input_tokens', 'output_tokens'] as const;

function less(total: Usage, before: Usage): Usage {
  const reported = SUMMED.filter((name) => total[name] !== undefined);
  return Object.fromEntries(
    reported.map((name) => [name, Math.max(0, (total[name] ?? 0) - (before[name] ?? 0))]),
  );
}
