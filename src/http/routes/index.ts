// All routes of the HTTP server.
import type { Route } from '../route.js';
import { agentRoutes } from './agents.js';
import { callbackRoutes } from './callbacks.js';
import { mcpRoutes } from './mcp.js';
import { hookRoutes } from './hooks.js';
import { migrateRoutes } from './states/migrate.js';
import { operationRoutes } from './operations.js';
import { keyRoutes } from './keys.js';
import { runnerRoutes } from './runners.js';
import { runRoutes } from './runs.js';
import { schemaRoutes } from './schemas.js';
import { sessionRoutes } from './sessions.js';
import { stateWaitRoutes } from './states/state-waits.js';
import { stateOperatorRoutes } from './states/state-operators.js';
import { stateRoutes } from './states/states.js';
import { webhookRoutes } from './webhooks.js';
import { workflowRoutes } from './workflow.js';
import { streamRoutes } from './streams.js';

export const ROUTES: readonly Route[] = [
  ...schemaRoutes,
  ...stateRoutes,
  ...stateWaitRoutes,
  ...migrateRoutes,
  ...stateOperatorRoutes,
  ...keyRoutes,
  ...workflowRoutes,
  ...sessionRoutes,
  ...agentRoutes,
  ...runRoutes,
  ...runnerRoutes,
  ...callbackRoutes,
  ...webhookRoutes,
  ...streamRoutes,
  ...hookRoutes,
  ...mcpRoutes,
  ...operationRoutes,
];
