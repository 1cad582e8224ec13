// What the HTTP door asks of the MCP door: both are on one floor, and meet here.
import type { Actor } from '../domain/access/actor.js';
import type { JsonValue } from '../domain/json/json.js';
import type { Countersign } from './service.js';

/** One request to `/mcp`, let in and identified by the HTTP door. */
export interface McpRequest {
  /** Method, headers and the signal that ends when the caller goes away; its body was read already. */
  readonly request: Request;
  readonly body: JsonValue;
  readonly actor: Actor;
  /** The service as the caller sees it. */
  readonly service: Countersign;
}

/** MCP over streamable HTTP, without protocol sessions: every request stands alone. */
export interface McpTransport {
  /** Answers one request. Never rejects for what a caller sent. */
  answer(request: McpRequest): Promise<Response>;
  /** Ends what is under way: open subscriptions above all. */
  close(): Promise<void>;
}
