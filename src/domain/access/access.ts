// Who may do what. The only place that knows roles and the bounds of a tree.
import type { Actor } from './actor.js';
import { ok, fail, type Result, type Failed } from '../errors.js';
import type { Role } from '../records/records.js';

/**
 * read: read everything. orchestrate: schemas, states, sessions, runs, callbacks. run: the calls of a runner.
 * operate: completions of others.
 */
export type Right = 'read' | 'orchestrate' | 'run' | 'operate';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  admin: ['read', 'orchestrate', 'run', 'operate'],
  orchestrator: ['read', 'orchestrate', 'operate'],
  runner: ['read', 'run'],
  reader: ['read'],
};

/** What the caller may use. A session has its rights within its tree only. */
export function rightsOf(actor: Actor): readonly Right[] {
  if (actor.kind === 'operator') return RIGHTS.admin;
  return actor.kind === 'token' ? RIGHTS[actor.role] : ['read', 'orchestrate'];
}

/**
 * Checks that the caller's role includes a right. A session has `read` and `orchestrate`, within its tree.
 *
 * @returns Nothing; or `forbidden`.
 */
export function mayUse(actor: Actor, right: Right): Result<null> {
  const rights = rightsOf(actor);
  if (rights.includes(right)) return ok(null);
  const who = actor.kind === 'token' ? `A ${actor.role} token` : 'A session';
  return fail('forbidden', `${who} may not do this; it takes the right to ${right}.`, {
    right,
    allowed: rights,
  });
}

/**
 * A session reaches only its own tree. For anything in another tree, the failure is the same as for something
 * that does not exist, so no caller learns which names and ids others use.
 *
 * @param missing - Returns the failure for a missing record, in the terms of the request.
 */
export function mayReachTree(actor: Actor, rootSessionId: string, missing: () => Failed): Result<null> {
  if (actor.kind !== 'session' || actor.rootSessionId === rootSessionId) return ok(null);
  return missing();
}

/** A record that was read, under the same condition. It is `null` if there is none. */
export function reachRecord<T extends { readonly rootSessionId: string }>(
  actor: Actor,
  record: T | null,
  missing: () => Failed,
): Result<T> {
  if (record === null) return missing();
  const may = mayReachTree(actor, record.rootSessionId, missing);
  return may.ok ? ok(record) : may;
}

/**
 * A session acts only in its own name.
 *
 * @returns Nothing; or `forbidden`.
 */
export function mayActAs(actor: Actor, sessionId: string): Result<null> {
  if (actor.kind !== 'session' || actor.sessionId === sessionId) return ok(null);
  return fail('forbidden', 'A session speaks only for itself.', { your_session_id: actor.sessionId });
}

/**
 * A session controls only its descendants.
 *
 * @param ancestors - Ids of the target's ancestors.
 * @returns Nothing; or `forbidden`.
 */
export function mayControl(actor: Actor, ancestors: readonly string[]): Result<null> {
  if (actor.kind !== 'session' || ancestors.includes(actor.sessionId)) return ok(null);
  return fail('forbidden', 'A session directs only its own descendants.', {
    your_session_id: actor.sessionId,
  });
}

/**
 * A session changes only its own webhooks and those of its descendants: its tree may hold webhooks by which an
 * operator watches it.
 *
 * @param owners - Ids of the session that created the webhook and of its ancestors; none for an operator's.
 * @returns Nothing; or `forbidden`.
 */
export function mayChangeWebhook(actor: Actor, owners: readonly string[]): Result<null> {
  if (actor.kind !== 'session' || owners.includes(actor.sessionId)) return ok(null);
  return fail('forbidden', 'A session changes only its own webhooks and those of its descendants.', {
    your_session_id: actor.sessionId,
  });
}
