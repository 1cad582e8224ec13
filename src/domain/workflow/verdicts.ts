// What the verdicts of a workflow say together: the newest one of each agent counts.
import type { JsonObject } from '../json/json.js';
import { textMember, textsMember } from '../json/members.js';
import { listOf } from './workflow.js';

/** The newest verdict of an agent that does not approve. */
interface Blocking {
  readonly agent: string;
  readonly decision: string;
  readonly reasoning: string;
  readonly conditions: readonly string[];
  readonly blockers: readonly string[];
}

interface VerdictSummary {
  /** True if there is a verdict, and the newest one of each agent approves. */
  readonly clear: boolean;
  /** Agents whose newest verdict approves. */
  readonly approved_by: readonly string[];
  readonly blocked_by: readonly Blocking[];
}

export function verdictSummary(document: JsonObject): VerdictSummary {
  const newest = new Map<string, JsonObject>();
  for (const verdict of listOf(document, 'verdicts')) {
    const agent = textMember(verdict, 'agent');
    if (agent !== null) newest.set(agent, verdict);
  }
  const approved = [...newest].filter(([, verdict]) => verdict['decision'] === 'approve');
  const others = [...newest].filter(([, verdict]) => verdict['decision'] !== 'approve');
  return {
    clear: newest.size > 0 && others.length === 0,
    approved_by: approved.map(([agent]) => agent),
    blocked_by: others.map(([agent, verdict]) => ({
      agent,
      decision: textMember(verdict, 'decision') ?? '',
      reasoning: textMember(verdict, 'reasoning') ?? '',
      conditions: textsMember(verdict, 'conditions'),
      blockers: textsMember(verdict, 'blockers'),
    })),
  };
}
