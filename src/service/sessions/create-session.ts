// Use case: create a session.
import { mayUse } from '../../domain/access/access.js';
import { ok, type Result } from '../../domain/errors.js';
import { createSession, recordsOfCreation } from '../../domain/sessions/create.js';
import type * as api from '../../ports/api/index.js';
import { onTermsOf, type Ordered } from '../agents/apply-blueprint.js';
import { callbackTarget, type CallbackTarget } from '../callbacks/callback-target.js';
import { completionSettings } from '../completion/completion-settings.js';
import type { Store } from '../../ports/storage/store.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { IdSource } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Decisions, TreeTransactions } from '../transactions/tree-transactions.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import type { AddressPolicy } from '../webhooks/address-policy.js';
import type { Caller } from '../caller.js';
import type { KnownRecords } from '../known-records.js';
import { andThen, mapped } from '../results.js';
import type { SignsOfLife } from './signs-of-life.js';
import { sessionCommand } from './session-command.js';
import { noTermsOfNewRoot, parentOf } from './parent.js';
import { decidedSession, decidedView, type DecidedSession } from './session-view.js';

export interface CreateSessionParts {
  readonly store: Store;
  readonly known: KnownRecords;
  readonly engine: SchemaEngine;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly transactions: TreeTransactions;
  readonly agents: AgentRegistry;
  readonly webhookTargets: AddressPolicy;
  readonly signs: SignsOfLife;
}

/** @see SessionService.create */
export async function newSession(
  caller: Caller<CreateSessionParts>,
  body: api.SessionCreate,
): Promise<Result<api.SessionCreated>> {
  const { context, actor } = caller;
  const created = await context.transactions.effect('create_session', (decisions) =>
    andThen(mayUse(actor, 'orchestrate'), () =>
      andThen(callbackTarget(context, body), (target) =>
        // The agent name of an external session is only a label, because no runner executes it.
        andThen(body.external === true ? ok(body) : onTermsOf(context.agents, body), (ordered) =>
          newSessionOf(caller, decisions, ordered, target, body),
        ),
      ),
    ),
  );
  return mapped(created, (decided) => {
    const { callbackSecret } = decided.session;
    context.signs.begun(decided.session);
    return {
      ...decidedView(decided),
      ...(callbackSecret === null ? {} : { callback_secret: callbackSecret }),
    };
  });
}

async function newSessionOf(
  caller: Caller<CreateSessionParts>,
  decisions: Decisions,
  body: Ordered<api.SessionCreate>,
  target: CallbackTarget | null,
  asked: api.SessionCreate,
): Promise<Result<DecidedSession>> {
  const { context } = caller;
  return andThen(completionSettings(context, body.completion), (settings) =>
    andThen(noTermsOfNewRoot(caller, asked), () =>
      andThen(parentOf(caller, body), ({ parent, rootSessionId }) => {
        const command = {
          ...sessionCommand(caller, body, parent, settings),
          external: body.external ?? false,
          heartbeatTimeoutMs: body.heartbeat_timeout_ms ?? null,
          callbackTarget: target,
        };
        return decisions.decide(
          rootSessionId ?? command.sessionId,
          recordsOfCreation(command, rootSessionId),
          (unit) => mapped(createSession(unit, command), ({ sessionId }) => decidedSession(unit, sessionId)),
        );
      }),
    ),
  );
}
