// Use cases of runs for callers that request work. What a runner does is in `runner-service.ts`.
import { mayControl, mayUse, reachRecord } from '../../domain/access/access.js';
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { noRun } from '../../domain/lifecycle/run.js';
import type { CompletionSettings, Run, Session } from '../../domain/records/records.js';
import {
  createSession,
  findSession,
  noSession,
  recordsOfCreation,
  scopeGiver,
} from '../../domain/sessions/create.js';
import { termsOfNewWork } from '../../domain/sessions/generation.js';
import { checkTerms } from '../../domain/sessions/terms.js';
import { scopeGiven } from '../../domain/writes/write-scope.js';
import { queueWork, stopRun, type WorkCommand } from '../../domain/runs/work.js';
import type * as api from '../../ports/api/index.js';
import type { RunService } from '../../ports/service.js';
import { onTermsOf, timeoutOf } from '../agents/apply-blueprint.js';
import { boundedPage } from '../bounded-page.js';
import { completionSettings } from '../completion/completion-settings.js';
import type { Store } from '../../ports/storage/store.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { IdSource } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Decisions, TreeTransactions } from '../transactions/tree-transactions.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import type { Caller } from '../caller.js';
import { demandsOf, sessionCommand } from '../sessions/session-command.js';
import type { KnownRecords } from '../known-records.js';
import { ancestorsOf, andThen, checkSize, listedSession, listedTree, mapped } from '../results.js';
import { checkNames, noTermsOfNewRoot, noTermsOfRoot, parentOf } from '../sessions/parent.js';
import { checkSetAtCreation } from '../sessions/set-at-creation.js';
import { runView } from '../views.js';

export interface RunServiceParts {
  readonly store: Store;
  readonly known: KnownRecords;
  readonly engine: SchemaEngine;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly transactions: TreeTransactions;
  readonly agents: AgentRegistry;
}

export function runService(caller: Caller<RunServiceParts>): RunService {
  const { context, actor } = caller;
  const { store, limits, transactions } = context;
  return {
    async create(body) {
      const work = body.type === 'start_session' ? start : resume;
      const created = await transactions.effect('create_run', (decisions) =>
        andThen(mayUse(actor, 'orchestrate'), () =>
          andThen(checkSize(body.prompt, 'promptBytesMax', limits), () => work(caller, decisions, body)),
        ),
      );
      return mapped(created, runView);
    },
    async list(query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const tree = await listedTree(caller, query.root_session);
        if (!tree.ok) return tree;
        const { session } = query;
        const named = session === undefined ? ok(undefined) : await listedSession(caller, session);
        if (!named.ok) return named;
        const filter = {
          status: query.status,
          sessionId: named.value?.sessionId,
          rootSessionId: tree.value,
        };
        return boundedPage(query, limits, {
          itemBytesMax: limits.promptBytesMax,
          read: (request) => store.read.runs(filter, request),
          into: runView,
        });
      });
    },
    async get(runId) {
      return andThen(mayUse(actor, 'read'), async () => mapped(await reachRun(caller, runId), runView));
    },
    async stop(runId, { reason } = {}) {
      const stopped = await transactions.effect('stop_run', (decisions) =>
        andThen(mayUse(actor, 'orchestrate'), () =>
          andThen(reachRun(caller, runId), async (run) => {
            const session = await store.read.session(run.sessionId);
            if (actor.kind === 'session' && session !== null) {
              const may = mayControl(actor, await ancestorsOf(caller, session));
              if (!may.ok) return may;
            }
            return decisions.decide(run.rootSessionId, [{ load: 'run', runId }], (unit) =>
              stopRun(unit, runId, reason),
            );
          }),
        ),
      );
      return mapped(stopped, runView);
    },
  };
}

async function reachRun({ context, actor }: Caller<RunServiceParts>, runId: string): Promise<Result<Run>> {
  return reachRecord(actor, await context.store.read.run(runId), () => noRun(runId));
}

async function namedSession(
  { context, actor }: Caller<RunServiceParts>,
  named: string,
): Promise<Result<Session>> {
  return reachRecord(actor, await context.store.read.session(named), () => noSession(named));
}

/** Starts a session: a new one, or an existing one that has not run yet. */
async function start(
  caller: Caller<RunServiceParts>,
  decisions: Decisions,
  body: api.RunCreate,
): Promise<Result<Run>> {
  const { context } = caller;
  const made = body.session_id === undefined ? null : await namedSession(caller, body.session_id);
  if (made?.ok === true && made.value.status === 'pending' && !made.value.external)
    return resume(caller, decisions, body);
  return andThen(onTermsOf(context.agents, body), (ordered) => startOf(caller, decisions, ordered, body));
}

async function startOf(
  caller: Caller<RunServiceParts>,
  decisions: Decisions,
  body: api.RunCreate,
  asked: api.RunCreate,
): Promise<Result<Run>> {
  const { context } = caller;
  return andThen(completionSettings(context, body.completion), (settings) =>
    andThen(noTermsOfNewRoot(caller, asked), () =>
      andThen(parentOf(caller, body), ({ parent, rootSessionId }) => {
        const command = { ...sessionCommand(caller, body, parent, settings), external: false };
        return decisions.decide(
          rootSessionId ?? command.sessionId,
          recordsOfCreation(command, rootSessionId),
          (unit) => {
            const session = createSession(unit, command);
            return session.ok ? ok(queueWork(unit, session.value, workOf(body))) : session;
          },
        );
      }),
    ),
  );
}

async function resume(
  caller: Caller<RunServiceParts>,
  decisions: Decisions,
  body: api.RunCreate,
): Promise<Result<Run>> {
  const { context } = caller;
  const named = body.session_id ?? body.session_name;
  if (named === undefined) {
    return invalidMember('/session_id', 'say which session to resume', 'session_id or session_name');
  }
  const reached = await namedSession(caller, named);
  if (!reached.ok) return reached;
  const session = reached.value;
  const same = checkNames(session, { '/session_id': body.session_id, '/session_name': body.session_name });
  if (!same.ok) return same;
  const may = await mayResume(caller, session, body);
  if (!may.ok) return may;
  const kept = checkSetAtCreation(session, body);
  if (!kept.ok) return kept;
  const change = await changeOfTerms(caller, body.completion);
  if (!change.ok) return change;
  const timeoutMs = body.timeout_ms ?? (await timeoutOf(context, session));
  return decisions.decideOnSession(session, (unit, sessionId) =>
    queued(
      unit,
      sessionId,
      { ...body, ...(timeoutMs && { timeout_ms: timeoutMs }) },
      change.value,
      caller.actor.kind === 'session' ? caller.actor.sessionId : null,
    ),
  );
}

function queued(
  unit: UnitOfWork,
  sessionId: string,
  body: api.RunCreate,
  change: ChangeOfTerms,
  creatorId: string | null,
): Result<Run> {
  const session = findSession(unit, sessionId);
  if (session === null) return noSession(sessionId);
  if (body.completion?.write_scope !== undefined) {
    const scope = scopeGiven(body.completion.write_scope, {
      creator: scopeGiver(unit, creatorId),
      parent: scopeGiver(unit, session.parentSessionId),
    });
    if (!scope.ok) return scope;
  }
  const present = termsOfNewWork(unit, session.sessionId);
  const settings = change?.(present);
  if (session.parentSessionId !== null) {
    const allowed = checkTerms(
      unit,
      session.rootSessionId,
      settings ?? present,
      body.completion?.write_scope ?? null,
    );
    if (!allowed.ok) return allowed;
  }
  return ok(queueWork(unit, session, { ...workOf(body), settings, callback: body.callback }));
}

async function mayResume(
  caller: Caller<RunServiceParts>,
  session: Session,
  body: api.RunCreate,
): Promise<Result<null>> {
  if (session.external) {
    return fail(
      'session_not_external',
      `${session.sessionName} is external: it is started by hand, and nobody can resume it.`,
    );
  }
  if (body.callback === true && session.parentSessionId === null) {
    return invalidMember(
      '/callback',
      'the session is a root and has no parent to call back',
      'a child session',
    );
  }
  const terms =
    session.parentSessionId === null ? noTermsOfRoot(body.completion, 'a child session') : ok(null);
  if (!terms.ok || caller.actor.kind !== 'session') return terms;
  const { sessionId } = caller.actor;
  return andThen(mayControl(caller.actor, await ancestorsOf(caller, session)), () =>
    body.callback === true && session.parentSessionId !== sessionId ? notTheParent(session) : ok(null),
  );
}

/** The failure for a caller that requests a callback but is not the parent. The callback would never reach it. */
function notTheParent({ sessionName, parentSessionName }: Session) {
  return invalidMember(
    '/callback',
    `the callback of ${sessionName} goes to its parent ${String(parentSessionName)}, which is not the caller`,
    'no callback, or a resume by that parent',
  );
}

/** Makes the terms of new work from the present ones; absent, it keeps these. */
type ChangeOfTerms = ((present: CompletionSettings) => CompletionSettings) | undefined;

/** Members that the request leaves out keep their present values. */
async function changeOfTerms(
  { context }: Caller<RunServiceParts>,
  requested: api.RunCreate['completion'],
): Promise<Result<ChangeOfTerms>> {
  if (requested === undefined) return ok(undefined);
  return mapped(await completionSettings(context, requested), (asked) => (present: CompletionSettings) => ({
    mode: requested.mode === undefined ? present.mode : asked.mode,
    contract: requested.contract === undefined ? present.contract : asked.contract,
    writeScope: requested.write_scope === undefined ? present.writeScope : asked.writeScope,
    attemptsMax: requested.max_attempts === undefined ? present.attemptsMax : asked.attemptsMax,
    timeoutMs: requested.timeout_ms === undefined ? present.timeoutMs : asked.timeoutMs,
    awaitState: requested.await_state ?? present.awaitState ?? false,
    retryDelayMs: requested.retry_delay_ms === undefined ? present.retryDelayMs : asked.retryDelayMs,
  }));
}

function workOf(body: api.RunCreate): WorkCommand {
  return {
    type: body.type,
    prompt: body.prompt,
    timeoutMs: body.timeout_ms ?? null,
    metadata: body.metadata ?? {},
    demands: body.demands && demandsOf(body),
  };
}
