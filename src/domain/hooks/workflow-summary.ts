// The workflow summary in the context of a starting session. Bounded: the rest is in `workflow show`.
import { boundedText } from '../excerpt.js';
import { unframed } from '../framing.js';
import type { JsonObject } from '../json/json.js';
import { textMember } from '../json/members.js';
import { verdictSummary } from '../workflow/verdicts.js';
import { listOf, recordOf } from '../workflow/workflow.js';

const SHOWN_MAX = 5;
const SHOWN_CHARACTERS_MAX = 200;

/** The phase and the mode, pending hand-offs, and verdicts that stand in the way; a line each. */
export function workflowSummary(document: JsonObject): readonly string[] {
  const phase = textMember(recordOf(document), 'workflow_phase') ?? 'unknown';
  const mode = textMember(document, 'current_mode') ?? 'default';
  const done = document['protocol_start_complete'] === true ? 'done' : 'not done';
  const handoffs = listOf(document, 'pending_handoffs').map(
    (one) => `${said(one, 'from_agent')} to ${said(one, 'to_agent')}: ${said(one, 'reason')}`,
  );
  const blocking = verdictSummary(document).blocked_by.map(
    ({ agent, decision, reasoning }) => `${shown(agent)} says ${shown(decision)}: ${shown(reasoning)}`,
  );
  return [
    `Its workflow is in the phase ${shown(phase)}, in the mode ${shown(mode)}; the start protocol is ${done}. More: countersign workflow show.`,
    ...listed('Hand-offs that wait for their agent', handoffs),
    ...listed('Verdicts that stand in the way', blocking),
  ];
}

function listed(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length > SHOWN_MAX ? `; and ${String(items.length - SHOWN_MAX)} more` : '';
  return [`${title}: ${items.slice(0, SHOWN_MAX).join('; ')}${more}.`];
}

function said(entry: JsonObject, member: string): string {
  return shown(textMember(entry, member) ?? '');
}

function shown(text: string): string {
  return unframed(boundedText(text.replace(/\s+/g, ' ').trim(), SHOWN_CHARACTERS_MAX));
}
