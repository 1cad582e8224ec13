// How often a stop may be refused, and the notice to people if it is not refused. Nothing here validates a
// session: the result comes from its completion.
import type { Limits } from '../limits.js';
import type { Completion } from '../records/records.js';
import { unframed } from '../framing.js';
import { isLost } from '../sessions/external.js';
import type { HookClient } from './clients.js';

/**
 * Whether the client accepts one more refusal.
 *
 * @param soFar - Refusals in a row in this turn.
 * @param cap - The client's configured cap; `null` for the client's default, 0 for none.
 */
export function acceptsRefusal(
  client: Pick<HookClient, 'refusalsInARowMax'>,
  soFar: number,
  cap: number | null,
  { hookAttemptsMax }: Pick<Limits, 'hookAttemptsMax'>,
): boolean {
  const own = cap ?? client.refusalsInARowMax ?? 0;
  return soFar < (own > 0 ? Math.min(own, hookAttemptsMax) : hookAttemptsMax);
}

/**
 * Whether a refusal may hand over callbacks again, so that a client that never acknowledges them can end its turn.
 *
 * @param unconfirmed - Refusals in a row that handed over callbacks which no later stop acknowledged.
 */
export function mayRepeat(
  unconfirmed: number,
  { hookUnheardAttemptsMax }: Pick<Limits, 'hookUnheardAttemptsMax'>,
): boolean {
  return unconfirmed < hookUnheardAttemptsMax;
}

/** Why a session that should continue is allowed to stop. */
export function capNotice({ title }: Pick<HookClient, 'title'>, waiting: string): string {
  return `Countersign lets this turn end: ${title} takes no more refusals in a row. ${waiting} The coordinator decides independently of this: countersign session completion.`;
}

const CHILDREN_SHOWN_MAX = 10;

/** The notice to people while children of a session are at work; `null` if there are none. */
export function awaitedNotice(children: readonly string[]): string | null {
  if (children.length === 0) return null;
  return `Countersign: this session waits for its children when it ends its turn, and goes on with their callbacks. At work: ${namesOf(children)}.`;
}

function namesOf(children: readonly string[]): string {
  const more = children.length - CHILDREN_SHOWN_MAX;
  const shown = children.slice(0, CHILDREN_SHOWN_MAX).join(', ');
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}

/** The notice to people about a session that may stop; `null` if there is none. */
export function endNotice(
  completion: Completion,
  awaiting: boolean,
  children: readonly string[],
): string | null {
  if (awaiting) {
    const who =
      children.length === 0 ? 'children of this session' : `${namesOf(children)}, children of this session,`;
    return `Countersign: ${who} are still at work. Their callbacks are kept, and handed over as soon as a client that can be woken is, or when the session next ends a turn: countersign callback pull.`;
  }
  if (isLost(completion)) {
    return `Countersign: this session counted as lost, and its parent was notified. ${unframed(completion.workError ?? '')} What it writes counts, and is marked late. Start or resume it to have its parent told of its result.`;
  }
  if (completion.status !== 'failed') return null;
  return `Countersign: the result of this session was not recorded, and its state update failed. ${unframed(completion.reason ?? '')}`.trim();
}
