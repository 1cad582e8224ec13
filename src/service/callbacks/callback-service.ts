// Use cases of callbacks, for operators and parents.
import { mayActAs, mayUse, reachRecord } from '../../domain/access/access.js';
import { acknowledge, noCallback, redeliver } from '../../domain/callbacks/operate.js';
import { ok, type Result } from '../../domain/errors.js';
import type { Callback } from '../../domain/records/records.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import type { CallbackService } from '../../ports/service.js';
import { boundedPage } from '../bounded-page.js';
import type { Store } from '../../ports/storage/store.js';
import type { Limits } from '../../domain/limits.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { Caller } from '../caller.js';
import { andThen, listedSession, listedTree, mapped } from '../results.js';
import { callbackView } from '../views.js';

export interface CallbackServiceParts {
  readonly store: Store;
  readonly limits: Limits;
  readonly transactions: TreeTransactions;
}

export function callbackService(caller: Caller<CallbackServiceParts>): CallbackService {
  const { context, actor } = caller;
  const { store, limits, transactions } = context;

  const move = async (
    effect: 'acknowledge_callback' | 'redeliver_callback',
    callbackId: string,
    rule: (unit: UnitOfWork) => Result<Callback>,
  ) =>
    mapped(
      await transactions.effect(effect, (decisions) =>
        andThen(callbackFor(caller, callbackId), ({ rootSessionId }) =>
          decisions.decide(rootSessionId, [{ load: 'callback', callbackId }], rule),
        ),
      ),
      callbackView,
    );

  return {
    async list(query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const tree = await listedTree(caller, query.root_session);
        if (!tree.ok) return tree;
        const child = query.child_session;
        const named = child === undefined ? ok(undefined) : await listedSession(caller, child);
        if (!named.ok) return named;
        const filter = {
          rootSessionId: tree.value,
          status: query.status && [query.status],
          childSessionId: named.value?.sessionId,
        };
        return boundedPage(query, limits, {
          itemBytesMax: 2 * limits.callbackResultBytesMax + limits.callbackChangesBytesMax,
          read: (request) => store.read.callbacks(filter, request),
          into: callbackView,
        });
      });
    },
    acknowledge: (callbackId) =>
      move('acknowledge_callback', callbackId, (unit) => acknowledge(unit, callbackId)),
    redeliver: (callbackId, { reason } = {}) =>
      move('redeliver_callback', callbackId, (unit) => redeliver(unit, callbackId, reason)),
  };
}

/** A callback that the caller may acknowledge or redeliver. For a session, only one of its own. */
async function callbackFor(
  { context, actor }: Caller<CallbackServiceParts>,
  callbackId: string,
): Promise<Result<Callback>> {
  const may = mayUse(actor, 'orchestrate');
  if (!may.ok) return may;
  const callback = await context.store.read.callback(callbackId);
  return andThen(
    reachRecord(actor, callback, () => noCallback(callbackId)),
    (reached) => mapped(mayActAs(actor, reached.parentSessionId), () => reached),
  );
}
