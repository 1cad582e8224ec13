// The prompt of an agent that begins a new conversation because there is none to resume. Pure.
import type { ClaimedRun } from '../../ports/api/index.js';

/** @returns The run's prompt, preceded by the session's earlier prompts and its last result. */
export function promptAfresh({ prompt, recap }: Pick<ClaimedRun, 'prompt' | 'recap'>): string {
  if (recap == null) return prompt;
  const { prompts, result_text: said } = recap;
  const parts = [
    'Your conversation so far was not kept. This is what is known of it; work that you did then may have been done already, so look before you do it again.',
    ...prompts.map((asked) => section('task', asked)),
    ...(said === null ? [] : [section('said', said)]),
    'And this is what you are asked now:',
    prompt,
  ];
  return parts.join('\n\n');
}

/** Quotes a foreign text in an element that the text cannot close. */
function section(name: string, text: string): string {
  return `<earlier-${name}>\n${text.replaceAll(`</earlier-${name}`, `<\\/earlier-${name}`)}\n</earlier-${name}>`;
}
