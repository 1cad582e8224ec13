// The interface between the HTTP server and the MCP server, which are in the same layer.
import type { Actor } from '../domain/access/actor.js';
import type { JsonValue } from '../domain/json/json.js';
import type { Countersign } from './service.js';

/** One request to `/mcp`. The HTTP server has already checked and authenticated it. */
export interface McpRequest {
  /** Method, headers, and a signal that aborts when the client disconnects. The body is already consumed. */
  readonly request: Request;
  readonly body: JsonValue;
  readonly actor: Actor;
  /** The service on behalf of the caller. */
  readonly service: Countersign;
}

/** MCP over streamable HTTP, without protocol sessions: each request is independent. */
export interface McpTransport {
  /** Answers one request. Never rejects because of what the client sent. */
  answer(request: McpRequest): Promise<Response>;
  /** Ends everything in progress, such as open subscriptions. */
  close(): Promise<void>;
}
