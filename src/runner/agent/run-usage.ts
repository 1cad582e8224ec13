// What one run has spent, of clients that tell the sum over their whole conversation. Knows no client.
import { LRUCache } from 'lru-cache';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { AgentCall, Usage } from './agent-cli.js';

/** Totals of conversations as they were told last, in memory: a runner that was started again knows none. */
export class RunUsage {
  readonly #totals = new LRUCache<string, Usage>({ max: DEFAULT_LIMITS.agentUsageFactsMax });

  /**
   * The difference to the total before. Counts each total once.
   *
   * @param total - As the client told it.
   * @returns The total itself, marked `whole_conversation`, where the one before is not known.
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
  const told = SUMMED.filter((name) => total[name] !== undefined);
  return Object.fromEntries(
    told.map((name) => [name, Math.max(0, (total[name] ?? 0) - (before[name] ?? 0))]),
  );
}
