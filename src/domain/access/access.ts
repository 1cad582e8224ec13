// Who may do what. The only place that knows roles and the bounds of a tree.
import type { Actor } from './actor.js';
import { accepted, refused, type Outcome, type Refusal } from '../errors.js';
import type { Completion, Role } from '../records/records.js';

/** read: look. orchestrate: schemas, states, sessions, runs, callbacks. run: what a runner does. operate: completions of others. */
export type Right = 'read' | 'orchestrate' | 'run' | 'operate';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  admin: ['read', 'orchestrate', 'run', 'operate'],
  orchestrator: ['read', 'orchestrate', 'operate'],
  runner: ['read', 'run'],
  reader: ['read'],
};

/** Whether the caller's role covers what is asked; a session may read and orchestrate, within its tree. */
export function mayUse(actor: Actor, right: Right): Outcome<null> {
  const rights: readonly Right[] =
    actor.kind === 'operator'
      ? RIGHTS.admin
      : actor.kind === 'token'
        ? RIGHTS[actor.role]
        : ['read', 'orchestrate'];
  if (rights.includes(right)) return accepted(null);
  const who = actor.kind === 'token' ? `A ${actor.role} token` : 'A session';
  return refused('forbidden', `${who} may not do this; it takes the right to ${right}.`, {
    right,
    allowed: rights,
  });
}

/**
 * A session reaches only its own tree. What belongs to another does not exist for it: the refusal is that of what is not
 * there, so that nobody learns by it which names and ids others use.
 *
 * @param missing - The refusal for what is not there, as it was asked for.
 */
export function mayReachTree(
  actor: Actor,
  rootSessionId: string,
  missing: () => { readonly ok: false; readonly refusal: Refusal },
): Outcome<null> {
  if (actor.kind !== 'session' || actor.rootSessionId === rootSessionId) return accepted(null);
  return missing();
}

/** What the end of a run's token depends on. */
export interface TokenFacts {
  /** When the run that it was minted for ended; `null` while it lasts. Of a session without runs, when it was stopped. */
  readonly endedAt: number | null;
  /** The completion of that piece of work; `null` where it is gone. */
  readonly completion: Pick<Completion, 'releasedAt'> | null;
}

/**
 * Whether the token of a run still counts. It ends with what it was minted for: once the run has ended and the outcome of
 * its piece of work is handed on, what is left of its process has nothing more to say.
 *
 * @param graceMs - How long after: the process that is ending may be in the midst of a call.
 */
export function isTokenAlive({ endedAt, completion }: TokenFacts, now: number, graceMs: number): boolean {
  if (endedAt === null) return true;
  if (completion === null) return now <= endedAt + graceMs;
  return completion.releasedAt === null || now <= Math.max(endedAt, completion.releasedAt) + graceMs;
}

/** A session speaks only for itself. */
export function maySpeakFor(actor: Actor, sessionId: string): Outcome<null> {
  if (actor.kind !== 'session' || actor.sessionId === sessionId) return accepted(null);
  return refused('forbidden', 'A session speaks only for itself.', { your_session_id: actor.sessionId });
}

/**
 * A session directs only its descendants.
 *
 * @param ancestors - Ids of the target's ancestors.
 */
export function mayDirect(actor: Actor, ancestors: readonly string[]): Outcome<null> {
  if (actor.kind !== 'session' || ancestors.includes(actor.sessionId)) return accepted(null);
  return refused('forbidden', 'A session directs only its own descendants.', {
    your_session_id: actor.sessionId,
  });
}
