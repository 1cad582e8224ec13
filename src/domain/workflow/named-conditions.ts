// Conditions on the workflow record that a wait or a webhook may name by a word. Each becomes a JSON Schema with the word
// in its `$comment`: what JSON Schema cannot say, such as "the newest verdict of each agent", is checked here. A keyword of
// our own would be taken in contracts and workflow schemas too, where nothing checks it.
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { verdictSummary } from './verdicts.js';
import { RECORD } from './workflow.js';

const MARK = 'countersign condition: ';
const PHASE = /^phase=(planning|implementation|validation|complete)$/;

/** The names, for the error message about an unknown one. */
export const CONDITION_NAMES: readonly string[] = [
  'verdicts-clear',
  'verdicts-blocked',
  'phase=planning',
  'phase=implementation',
  'phase=validation',
  'phase=complete',
];

export function isConditionName(text: string): boolean {
  return CONDITION_NAMES.includes(text);
}

/** The condition that a word stands for; `null` for any other text. */
export function namedCondition(text: string): JsonObject | null {
  if (!isConditionName(text)) return null;
  const phase = PHASE.exec(text)?.[1];
  const $comment = MARK + text;
  if (phase === undefined) return { $comment };
  const within = {
    type: 'object',
    required: ['workflow_phase'],
    properties: { workflow_phase: { const: phase } },
  };
  return { $comment, type: 'object', required: [RECORD], properties: { [RECORD]: within } };
}

/** True if a condition is about the workflow record. */
export function isOfWorkflow(condition: JsonValue): boolean {
  return conditionNameOf(condition) !== null;
}

/** Checks the part of a condition that its JSON Schema cannot express; true if there is none. */
export function satisfiesNamed(condition: JsonValue, document: JsonObject): boolean {
  const word = conditionNameOf(condition);
  if (word === 'verdicts-clear') return verdictSummary(document).clear;
  if (word === 'verdicts-blocked') return verdictSummary(document).blocked_by.length > 0;
  return true;
}

function conditionNameOf(condition: JsonValue): string | null {
  const comment = isJsonObject(condition) ? condition['$comment'] : undefined;
  return typeof comment === 'string' && comment.startsWith(MARK) ? comment.slice(MARK.length) : null;
}
