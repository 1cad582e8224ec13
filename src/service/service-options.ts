// What the service is started with.
import type { SigningKeys } from '../domain/evidence/keys.js';
import type { JsonObject } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { TimeAway } from '../domain/scheduling/time-away.js';
import type { AgentSource } from '../ports/agent-files.js';
import type { Clock, IdSource, Logger } from '../ports/runtime.js';
import type { SchemaEngine } from '../ports/schema-engine.js';
import type { Store } from '../ports/storage/store.js';
import type { StatePromptOptions } from './prompts/state-prompts.js';
import type { WebhookOptions } from './webhooks/start.js';

export interface ServiceOptions {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly auth: boolean;
  /** True if tokens of runs are valid for their whole lifetime. Default: they end with the work of their run. */
  readonly tokensOutliveRuns?: boolean | undefined;
  /** What prompts tell of the state. Default: all. */
  readonly statePrompts?: StatePromptOptions | undefined;
  /** Sign what is added to histories. Default: histories are not signed. */
  readonly keys?: SigningKeys | null | undefined;
  /** The key that signs session tokens. Default: a generated one, stored in the database. */
  readonly tokenSecret?: string | undefined;
  readonly webhooks?: WebhookOptions | undefined;
  /** For how long no coordinator ran on the database, and by how much the clock shifted in that time. */
  readonly away?: TimeAway | undefined;
  /** Named agents. Without them, the agent name of a session is only a label. */
  readonly agents?: AgentSource | undefined;
  /** Reads the schema of workflow records, when a state needs it for the first time. */
  readonly workflowSchema: () => JsonObject;
}
