// Use cases of callbacks, for operators and parents.
import { mayReachTree, maySpeakFor, mayUse } from '../../domain/access/access.js';
import { acknowledge, redeliver } from '../../domain/callbacks/operate.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { Callback } from '../../domain/records/records.js';
import { noSession } from '../../domain/sessions/create.js';
import type { CallbackService } from '../../ports/service.js';
import { boundedPage } from '../bounded-page.js';
import type { Store } from '../../ports/store.js';
import type { Limits } from '../../domain/limits.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { Caller } from '../caller.js';
import { mapped, andThen } from '../results.js';
import { callbackView } from '../views.js';

export interface CallbackServiceParts {
  readonly store: Store;
  readonly limits: Limits;
  readonly transactions: TreeTransactions;
}

export function callbackService(caller: Caller<CallbackServiceParts>): CallbackService {
  const { context, actor } = caller;
  const { store, limits, transactions } = context;

  const move = (callbackId: string, rule: typeof acknowledge) =>
    andThen(reach(caller, callbackId), async ({ rootSessionId }) =>
      mapped(
        await transactions.decide(rootSessionId, [{ load: 'callback', callbackId }], (unit) =>
          rule(unit, callbackId),
        ),
        callbackView,
      ),
    );

  return {
    async list(query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const root = query.root_session === undefined ? null : await store.read.session(query.root_session);
        const asked =
          query.root_session === undefined ? undefined : (root?.rootSessionId ?? query.root_session);
        const own = actor.kind === 'session' ? actor.rootSessionId : undefined;
        const may =
          asked === undefined
            ? ok(null)
            : mayReachTree(actor, asked, () => noSession(query.root_session ?? asked));
        if (!may.ok) return may;
        const rootSessionId = asked ?? own;
        const filter = {
          ...(rootSessionId === undefined ? {} : { rootSessionId }),
          ...(query.status === undefined ? {} : { status: [query.status] }),
        };
        const page = await boundedPage(query, limits, {
          itemBytesMax: 2 * limits.callbackResultBytesMax + limits.callbackChangesBytesMax,
          read: (request) => store.read.callbacks(filter, request),
          into: callbackView,
        });
        return ok(page);
      });
    },
    acknowledge: (callbackId) => move(callbackId, acknowledge),
    redeliver: (callbackId) => move(callbackId, redeliver),
  };
}

/** A callback that the caller may acknowledge or redeliver. For a session, only one of its own. */
async function reach(
  { context, actor }: Caller<CallbackServiceParts>,
  callbackId: string,
): Promise<Result<Callback>> {
  const may = mayUse(actor, 'orchestrate');
  if (!may.ok) return may;
  const callback = await context.store.read.callback(callbackId);
  const missing = () => fail('callback_not_found', `There is no callback ${callbackId}.`);
  if (callback === null) return missing();
  const inReach = mayReachTree(actor, callback.rootSessionId, missing);
  if (!inReach.ok) return inReach;
  return mapped(maySpeakFor(actor, callback.parentSessionId), () => callback);
}
