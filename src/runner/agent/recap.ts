// What an agent is told that begins afresh, since there is no conversation to go on with. Pure.
import type { ClaimedRun } from '../../ports/api/index.js';

/** @returns The prompt of the run, after what the session was asked before and what it said. */
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

/** A text of somebody else, which cannot close its own element. */
function section(name: string, text: string): string {
  return `<earlier-${name}>\n${text.replaceAll(`</earlier-${name}`, `<\\/earlier-${name}`)}\n</earlier-${name}>`;
}
