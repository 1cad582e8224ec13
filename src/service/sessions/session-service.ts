// Use cases of sessions.
import { mayControl, mayActAs, mayUse } from '../../domain/access/access.js';
import { ok, type Result } from '../../domain/errors.js';
import type { Completion, Session } from '../../domain/records/records.js';
import { noSession } from '../../domain/sessions/create.js';
import { sessionReported } from '../../domain/sessions/external.js';
import { deleteSession } from '../../domain/sessions/end.js';
import { deleteWithState } from '../../domain/states/create.js';
import { stopSession } from '../../domain/runs/work.js';
import { retryCompletion, skipCompletion } from '../../domain/sessions/operate.js';
import { noState } from '../../domain/states/write.js';
import type * as api from '../../ports/api/index.js';
import type { SessionService } from '../../ports/service.js';
import type { Logger } from '../../ports/runtime.js';
import type { ReadCursors } from '../reads/read-cursors.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { Caller } from '../caller.js';
import {
  ancestorsOf,
  headOfTree,
  listedSession,
  listedTree,
  mapped,
  nullIfDamaged,
  pageRequest,
  reachSession,
  reachToDecide,
  andThen,
} from '../results.js';
import { pullCallbacks, type PullCallbacksParts } from '../callbacks/pull-callbacks.js';
import { newSession, type CreateSessionParts } from './create-session.js';
import { listCompletions } from './list-completions.js';
import { sessionTree } from './session-tree.js';
import { decidedSession, decidedView, viewOf } from './session-view.js';
import { envelopeAt, type EnvelopesParts } from '../states/envelopes.js';
import { sawAll } from '../reads/note-reads.js';
import { completionView } from '../views.js';

export interface SessionServiceParts extends CreateSessionParts, PullCallbacksParts, EnvelopesParts {
  readonly logger: Logger;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly readCursors: ReadCursors;
  readonly slices: TimeSlices;
}

export function sessionService(caller: Caller<SessionServiceParts>): SessionService {
  const { context, actor } = caller;
  const { store, limits, transactions } = context;

  const operate = async (
    effect: 'skip_completion' | 'retry_completion',
    session: string,
    rule: typeof skipCompletion,
    reason: string,
  ) =>
    mapped(
      await transactions.effect(effect, (decisions) =>
        andThen(mayUse(actor, 'operate'), () =>
          andThen(reachToDecide(caller, 'operate', session), (found) =>
            decisions.decideOnSession(found, (unit, sessionId) => rule(unit, sessionId, reason)),
          ),
        ),
      ),
      completionView,
    );

  return {
    create: (body) => newSession(caller, body),
    async list(query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const tree = await listedTree(caller, query.root_session);
        if (!tree.ok) return tree;
        const { parent_session: named } = query;
        const parent = named === undefined ? ok(undefined) : await listedSession(caller, named);
        if (!parent.ok) return parent;
        const page = await store.read.sessions(
          {
            rootSessionId: tree.value,
            parentSessionId: parent.value?.sessionId,
            executorSessionId: query.executor_session,
            status: query.status,
            completionStatus: query.state_update_status,
          },
          pageRequest(query, limits),
        );
        const items = await Promise.all(page.items.map((one) => nullIfDamaged(viewOf(store, one))));
        return ok({ items: items.filter((one) => one !== null), next_cursor: page.nextCursor });
      });
    },
    async get(session) {
      return andThen(reachSession(caller, 'read', session), async (found) => ok(await viewOf(store, found)));
    },
    async tree(session) {
      return andThen(reachSession(caller, 'read', session), async (found) =>
        ok(await sessionTree(caller, found)),
      );
    },
    async result(session) {
      return andThen(reachSession(caller, 'read', session), async ({ sessionId, status }) => {
        const completion = await store.read.completion(sessionId);
        return ok({
          session_id: sessionId,
          status,
          result_text: completion?.resultText ?? null,
          result_data: completion?.resultData ?? null,
        });
      });
    },
    async state(session) {
      return andThen(reachSession(caller, 'read', session), async ({ rootSessionId, sessionName }) => {
        const head = await headOfTree(store, rootSessionId);
        if (head === null) return noState(`of ${sessionName}`);
        const envelope = await envelopeAt(caller, head);
        if (envelope.ok) await sawAll(caller, head.stateId, head.version);
        return envelope;
      });
    },
    async remove(session, { cascade = false } = {}) {
      const rule = cascade ? deleteWithState : deleteSession;
      const deleted = await transactions.effect('delete_session', (decisions) =>
        andThen(reachDescendant(caller, session), (found) =>
          decisions.decideOnSession<string | null>(found, rule),
        ),
      );
      if (deleted.ok && deleted.value !== null) context.documents.invalidate(deleted.value);
      return mapped(deleted, () => null);
    },
    async report(session, event) {
      const report = {
        type: event.type,
        resultText: event.result_text ?? null,
        resultData: event.result_data ?? null,
        executorSessionId: event.executor_session_id ?? null,
        reason: event.reason ?? null,
        byOwnToken: context.auth && actor.kind === 'session',
      };
      const reported = await transactions.effect('report_session', (decisions) =>
        andThen(reachToDecide(caller, 'orchestrate', session), (found) =>
          andThen(mayActAs(actor, found.sessionId), () =>
            decisions.decideOnSession(found, (unit, sessionId) => sessionReported(unit, sessionId, report)),
          ),
        ),
      );
      return mapped(reported, reportAnswer);
    },
    async stop(session, { reason } = {}) {
      const stopped = await transactions.effect('stop_session', (decisions) =>
        andThen(reachDescendant(caller, session), (found) =>
          decisions.decideOnSession(found, (unit, sessionId) =>
            mapped(stopSession(unit, sessionId, reason), () => decidedSession(unit, sessionId)),
          ),
        ),
      );
      return mapped(stopped, decidedView);
    },
    completions: (query) => listCompletions(caller, query),
    async completion(session) {
      return andThen(reachSession(caller, 'read', session), async ({ sessionId }) => {
        const completion = await store.read.completion(sessionId);
        return completion === null ? noSession(session) : ok(completionView(completion));
      });
    },
    skip: (session, { reason = 'Skipped by the operator.' }) =>
      operate('skip_completion', session, skipCompletion, reason),
    retry: (session, { reason = 'Retried by the operator.' }) =>
      operate('retry_completion', session, retryCompletion, reason),
    pullCallbacks: (session, waitMs, signal) => pullCallbacks(caller, session, waitMs, signal),
  };
}

/** A session that the caller may stop or delete. For a session, only one of its descendants. */
async function reachDescendant(
  caller: Caller<SessionServiceParts>,
  session: string,
): Promise<Result<Session>> {
  return andThen(reachToDecide(caller, 'orchestrate', session), async (found) => {
    if (caller.actor.kind !== 'session') return ok(found);
    return mapped(mayControl(caller.actor, await ancestorsOf(caller, found)), () => found);
  });
}

function reportAnswer(completion: Completion): api.SessionEventAnswer {
  const { state_update_status, request } = completionView(completion);
  return { state_update_status, ...(request === undefined ? {} : { request }) };
}
