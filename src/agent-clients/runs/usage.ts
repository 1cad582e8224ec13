// The usage that a client reports of a run. Pure.
import type { Usage } from './agent-cli.js';

type UsageNumber = Exclude<keyof Usage, 'whole_conversation'>;

/** The reported numbers of a run's usage, without absent ones. */
export function usageOf(reported: Partial<Record<UsageNumber, number | null>>): Usage {
  return Object.fromEntries(
    Object.entries(reported).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  );
}
