// Helpers that use cases share: combinators for results, checked access to sessions and trees, paging.
import { mayUse, reachRecord, type Right } from '../domain/access/access.js';
import type { Actor } from '../domain/access/actor.js';
import { RecordDamagedError } from '../domain/damage/damage.js';
import { ok, fail, type Result } from '../domain/errors.js';
import type { Limits } from '../domain/limits.js';
import type { Session, StateHead } from '../domain/records/records.js';
import { noSession } from '../domain/sessions/create.js';
import { mayBeSessionId } from '../domain/session-ids.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { ListOrder, PageRequest } from '../ports/storage/page.js';
import type { Store } from '../ports/storage/store.js';
import type { Caller } from './caller.js';
import type { KnownRecords } from './known-records.js';

interface Parts {
  readonly store: Store;
}

/** Calls `next` with the value of a result; returns a failure unchanged. */
export async function andThen<A, B>(
  result: MaybePromise<Result<A>>,
  next: (value: A) => MaybePromise<Result<B>>,
): Promise<Result<B>> {
  const settled = await result;
  return settled.ok ? next(settled.value) : settled;
}

/** Replaces the value of a result. */
export function mapped<A, B>(result: Result<A>, into: (value: A) => B): Result<B> {
  return result.ok ? ok(into(result.value)) : result;
}

/** The session, if the caller has the right and may access its tree. */
export async function reachSession(
  { context, actor }: Caller<Parts>,
  right: Right,
  idOrName: string,
): Promise<Result<Session>> {
  const may = mayUse(actor, right);
  return may.ok ? reached(actor, idOrName, await context.store.read.session(idOrName)) : may;
}

/** The same for a decision about the session: what it knows of the session may be in memory. */
export async function reachToDecide(
  { context, actor }: Caller<{ readonly known: KnownRecords }>,
  right: Right,
  idOrName: string,
): Promise<Result<Session>> {
  const may = mayUse(actor, right);
  return may.ok ? reached(actor, idOrName, await context.known.session(idOrName)) : may;
}

function reached(actor: Actor, idOrName: string, session: Session | null): Result<Session> {
  return reachRecord(actor, session, () => noSession(idOrName));
}

/**
 * The session that a list is limited to. One that was deleted is still known by its id, as the root of its tree.
 * One of another tree is to a session as if it did not exist.
 */
export async function listedSession(
  { context, actor }: Caller<Parts>,
  named: string,
): Promise<Result<Pick<Session, 'sessionId' | 'rootSessionId'>>> {
  const session = await context.store.read.session(named);
  if (session !== null && reached(actor, named, session).ok) return ok(session);
  return mayBeSessionId(named) ? ok({ sessionId: named, rootSessionId: named }) : noSession(named);
}

/**
 * The tree that a list or a stream is limited to: the one that the query names, or the caller's own if it is a session.
 *
 * @param named - Id or name of a session in the tree.
 * @returns Id of the root; `undefined` for all trees.
 */
export async function listedTree(
  caller: Caller<Parts>,
  named: string | undefined,
): Promise<Result<string | undefined>> {
  const { actor } = caller;
  if (named === undefined) return ok(actor.kind === 'session' ? actor.rootSessionId : undefined);
  return andThen(listedSession(caller, named), (session) =>
    mapped(
      reachRecord(actor, session, () => noSession(named)),
      ({ rootSessionId }) => rootSessionId,
    ),
  );
}

/** The head of the state of a tree; `null` if the tree has none. */
export async function headOfTree({ read }: Store, rootSessionId: string): Promise<StateHead | null> {
  const stateId = (await read.tree(rootSessionId))?.stateId ?? null;
  return stateId === null ? null : read.state(stateId);
}

/** Ids of the session's ancestors, nearest first. */
export async function ancestorsOf({ context }: Caller<Parts>, session: Session): Promise<readonly string[]> {
  const ancestors: string[] = [];
  let parent = session.parentSessionId;
  while (parent !== null && !ancestors.includes(parent)) {
    ancestors.push(parent);
    parent = (await context.store.read.session(parent))?.parentSessionId ?? null;
  }
  return ancestors;
}

/** The limit and cursor of a list query, with defaults. */
export function pageRequest(
  query: { limit?: number; cursor?: string; order?: ListOrder },
  limits: Limits,
): PageRequest {
  return {
    limit: Math.min(query.limit ?? limits.listItemsDefault, limits.listItemsMax),
    cursor: query.cursor ?? null,
    order: query.order,
  };
}

/** `null` if a record that the item needs is damaged or missing. A list leaves such an item out. */
export async function nullIfDamaged<T>(item: Promise<T>): Promise<T | null> {
  try {
    return await item;
  } catch (error) {
    if (error instanceof RecordDamagedError) return null;
    throw error;
  }
}

/** The failure `limit_exceeded` if a text is longer than the limit. */
export function checkSize(
  text: string,
  limit: 'promptBytesMax' | 'resultBytesMax',
  limits: Limits,
): Result<null> {
  const actual = Buffer.byteLength(text);
  const maximum = limits[limit];
  if (actual <= maximum) return ok(null);
  return fail(
    'limit_exceeded',
    `The text has ${String(actual)} bytes; at most ${String(maximum)} are allowed.`,
    {
      limit,
      maximum,
      actual,
    },
  );
}
