// The list of completions, each with its session.
import { mayUse } from '../../domain/access/access.js';
import type { Result } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';
import type { Completion } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import { boundedPage } from '../bounded-page.js';
import type { Caller } from '../caller.js';
import { andThen, listedTree, nullIfDamaged } from '../results.js';
import { completionView } from '../views.js';

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
}

export function listCompletions(
  caller: Caller<Parts>,
  { status, root_session: root, ...page }: api.CompletionListQuery,
): Promise<Result<api.Listed<api.CompletionListed>>> {
  const { store, limits } = caller.context;
  return andThen(mayUse(caller.actor, 'read'), () =>
    andThen(listedTree(caller, root), (rootSessionId) =>
      boundedPage(page, limits, {
        // A contract may be as large as a schema, and the open request holds a prompt.
        itemBytesMax: limits.schemaBytesMax + limits.promptBytesMax,
        read: (request) => store.read.completions({ rootSessionId, status }, request),
        into: (completion) => nullIfDamaged(listed(store, completion)),
      }),
    ),
  );
}

/** `null` if the session was deleted meanwhile. */
async function listed(store: Store, completion: Completion): Promise<api.CompletionListed | null> {
  const session = await store.read.session(completion.sessionId);
  if (session === null) return null;
  return {
    ...completionView(completion),
    session_name: session.sessionName,
    session_status: session.status,
    root_session_id: session.rootSessionId,
  };
}
