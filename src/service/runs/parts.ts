// What the use cases of runs use.
import type { SessionTokens } from '../access/session-tokens.js';
import type { SentStopOrders } from './sent-stop-orders.js';
import type { SessionParts } from '../sessions/parts.js';

export interface RunParts extends SessionParts {
  readonly tokens: SessionTokens;
  readonly sentStopOrders: SentStopOrders;
}
