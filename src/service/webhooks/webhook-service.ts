// Use cases of webhooks and their deliveries.
import {
  mayChangeWebhook,
  mayReachTree,
  mayUse,
  reachRecord,
  type Right,
} from '../../domain/access/access.js';
import { treeOf } from '../../domain/access/actor.js';
import { ok, invalidMember, type Result } from '../../domain/errors.js';
import type { Webhook, WebhookCondition } from '../../domain/records/records.js';
import { noSession } from '../../domain/sessions/create.js';
import { noState } from '../../domain/states/write.js';
import { redeliverAgain } from '../../domain/webhooks/deliver.js';
import { addWebhook, noWebhook, removeWebhook, setWebhookEnabled } from '../../domain/webhooks/manage.js';
import { isOfWorkflow } from '../../domain/workflow/named-conditions.js';
import { declaresWorkflow, noWorkflow } from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';
import type { WebhookService } from '../../ports/service.js';
import { admitCondition } from '../schemas/conditions.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import { boundedPage } from '../bounded-page.js';
import type { Store } from '../../ports/storage/store.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Limits } from '../../domain/limits.js';
import type { Decisions, TreeTransactions } from '../transactions/tree-transactions.js';
import type { AddressPolicy } from './address-policy.js';
import type { Caller } from '../caller.js';
import { ancestorsOf, andThen, mapped } from '../results.js';
import { deliveryView, webhookView } from './webhook-views.js';
import { isSecret, newSecret } from './signature.js';
import { targetOf } from './target.js';

export interface WebhookServiceParts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly schemas: SchemaCache;
  readonly limits: Limits;
  readonly transactions: TreeTransactions;
  readonly webhookTargets: AddressPolicy;
}

export function webhookService(caller: Caller<WebhookServiceParts>): WebhookService {
  const { context, actor } = caller;
  const { store, limits, transactions } = context;

  const setEnabled = async (webhookId: string, offBecause: string | null) =>
    mapped(
      await transactions.effect('switch_webhook', (decisions) =>
        andThen(reachToChange(caller, webhookId), () =>
          decisions.decideFree([{ load: 'webhooks' }], (unit) =>
            setWebhookEnabled(unit, webhookId, offBecause),
          ),
        ),
      ),
      webhookView,
    );

  return {
    async create(body) {
      const made = await transactions.effect('create_webhook', (decisions) =>
        createWebhook(caller, decisions, body),
      );
      return mapped(made, (webhook) => ({ ...webhookView(webhook), secret: webhook.secret }));
    },
    async list(query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const rootSessionId = actor.kind === 'session' ? actor.rootSessionId : undefined;
        return boundedPage(query, limits, {
          itemBytesMax: limits.schemaBytesMax,
          read: (request) => store.read.webhooks.list({ rootSessionId }, request),
          into: webhookView,
        });
      });
    },
    async get(webhookId) {
      return mapped(await webhookFor(caller, 'read', webhookId), webhookView);
    },
    async remove(webhookId) {
      return transactions.effect('delete_webhook', (decisions) =>
        andThen(reachToChange(caller, webhookId), () =>
          decisions.decideFree([{ load: 'webhooks' }], (unit) => removeWebhook(unit, webhookId)),
        ),
      );
    },
    enable: (webhookId) => setEnabled(webhookId, null),
    disable: (webhookId, body) => setEnabled(webhookId, body.reason ?? 'Disabled by the operator.'),
    async deliveries(webhookId, query) {
      return andThen(webhookFor(caller, 'read', webhookId), async () => {
        return boundedPage(query, limits, {
          itemBytesMax:
            limits.webhookPatchBytesMax + limits.webhookAttemptsKeptMax * limits.webhookResponseBytesMax,
          read: (request) => store.read.webhooks.deliveries({ webhookId, status: query.status }, request),
          into: deliveryView,
        });
      });
    },
    async redeliver(webhookId, deliveryId, { reason } = {}) {
      const redelivered = await transactions.effect('redeliver_webhook', (decisions) =>
        andThen(reachToChange(caller, webhookId), () =>
          decisions.decideFree([{ load: 'delivery', deliveryId }], (unit) =>
            redeliverAgain(unit, webhookId, deliveryId, reason),
          ),
        ),
      );
      return mapped(redelivered, deliveryView);
    },
  };
}

/** A webhook that the caller may access: for a session, one of its own tree. */
async function webhookFor(
  { context, actor }: Caller<WebhookServiceParts>,
  right: Right,
  webhookId: string,
): Promise<Result<Webhook>> {
  const may = mayUse(actor, right);
  if (!may.ok) return may;
  const webhook = await context.store.read.webhooks.get(webhookId);
  if (webhook === null) return noWebhook(webhookId);
  return mapped(
    mayReachTree(actor, webhook.rootSessionId ?? '', () => noWebhook(webhookId)),
    () => webhook,
  );
}

/** A webhook that the caller may change. */
function reachToChange(caller: Caller<WebhookServiceParts>, webhookId: string): Promise<Result<Webhook>> {
  return andThen(webhookFor(caller, 'orchestrate', webhookId), async (webhook) =>
    mapped(mayChangeWebhook(caller.actor, await ownersOf(caller, webhook)), () => webhook),
  );
}

/** The session that created the webhook, and its ancestors. */
async function ownersOf(
  caller: Caller<WebhookServiceParts>,
  { ownerSessionId }: Webhook,
): Promise<readonly string[]> {
  if (ownerSessionId === null || caller.actor.kind !== 'session') return [];
  const owner = await caller.context.store.read.session(ownerSessionId);
  return owner === null ? [] : [ownerSessionId, ...(await ancestorsOf(caller, owner))];
}

async function createWebhook(
  caller: Caller<WebhookServiceParts>,
  decisions: Decisions,
  body: api.WebhookCreate,
): Promise<Result<Webhook>> {
  const { context, actor } = caller;
  const may = mayUse(actor, 'orchestrate');
  if (!may.ok) return may;
  const fitting = checkTogether(body);
  if (!fitting.ok) return fitting;
  const target = targetOf(body.url, '/url', context.webhookTargets);
  if (!target.ok) return target;
  const scope = await scopeOf(caller, body);
  if (!scope.ok) return scope;
  const when = await conditionOf(caller, body);
  if (!when.ok) return when;
  const secret = secretOf(body.secret, '/secret');
  if (!secret.ok) return secret;
  const command = {
    ...target.value,
    ...scope.value,
    events: body.events,
    ownerSessionId: actor.kind === 'session' ? actor.sessionId : null,
    schemaName: body.schema_name ?? null,
    when: when.value,
    secret: secret.value,
  };
  return decisions.decideFree([{ load: 'webhooks' }], (unit) => addWebhook(unit, command));
}

/** @returns The given secret, or a new one; or `invalid_request` if the given one is malformed. */
export function secretOf(given: string | undefined, pointer: string): Result<string> {
  if (given === undefined) return ok(newSecret());
  if (isSecret(given)) return ok(given);
  return invalidMember(pointer, 'is no secret', 'whsec_ and a key of 24 to 64 bytes in base64');
}

function checkTogether(body: api.WebhookCreate): Result<null> {
  const scopes = ['state_id', 'root_session', 'schema_name'] as const;
  const [, second] = scopes.filter((one) => body[one] !== undefined);
  if (second !== undefined) {
    return invalidMember(
      `/${second}`,
      'say once what the webhook is about',
      'one of state_id, root_session, schema_name',
    );
  }
  const versions = (one: string) => one === 'workflow_state_created' || one === 'workflow_state_updated';
  const odd = (fits: (event: string) => boolean) => body.events.findIndex((event) => !fits(event));
  const noVersion = body.when === undefined ? -1 : odd(versions);
  if (noVersion >= 0) {
    return invalidMember(
      `/events/${String(noVersion)}`,
      'a condition is about versions of a state',
      'workflow_state_created, workflow_state_updated',
    );
  }
  const noState = body.schema_name === undefined ? -1 : odd((event) => event.startsWith('workflow_state_'));
  if (noState >= 0) {
    return invalidMember(
      `/events/${String(noState)}`,
      'only events of states have a schema',
      'workflow_state_created, workflow_state_updated, workflow_state_deleted',
    );
  }
  return ok(null);
}

/** The scope of a webhook. The webhook of a session is always limited to its own tree. */
async function scopeOf(
  { context, actor }: Caller<WebhookServiceParts>,
  body: api.WebhookCreate,
): Promise<Result<Pick<Webhook, 'rootSessionId' | 'stateId'>>> {
  if (body.state_id !== undefined) {
    const { state_id: stateId } = body;
    const head = await context.store.read.state(stateId);
    return mapped(
      reachRecord(actor, head, () => noState(stateId)),
      ({ rootSessionId }) => ({ rootSessionId, stateId }),
    );
  }
  if (body.root_session !== undefined) {
    const { root_session: named } = body;
    const session = await context.store.read.session(named);
    return mapped(
      reachRecord(actor, session, () => noSession(named)),
      ({ rootSessionId }) => ({ rootSessionId, stateId: null }),
    );
  }
  return ok({ rootSessionId: treeOf(actor), stateId: null });
}

async function conditionOf(
  { context }: Caller<WebhookServiceParts>,
  body: api.WebhookCreate,
): Promise<Result<WebhookCondition | null>> {
  if (body.when === undefined) return ok(null);
  const admitted = await admitCondition(context.engine, body.when, '/when');
  if (!admitted.ok) return admitted;
  const { schema, hash } = admitted.value;
  const head =
    body.state_id !== undefined && isOfWorkflow(schema)
      ? await context.store.read.state(body.state_id)
      : null;
  const ofState = head === null || head.lenient ? null : await context.schemas.byId(head.schemaId);
  if (ofState !== null && !declaresWorkflow(ofState.jsonSchema)) return noWorkflow(ofState);
  return ok({ schema, schemaHash: hash });
}
