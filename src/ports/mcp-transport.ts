// The interface between the HTTP server and the MCP server, which are in the same layer.
import type { Actor } from '../domain/access/actor.js';
import type { Result } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type { Countersign } from './service.js';

/** One message to `/mcp`. The HTTP server has already checked and authenticated it. */
export interface McpMessage {
  /** A header of the request by its name in lower case; `null` without it. */
  readonly header: (name: string) => string | null;
  readonly body: JsonValue;
  readonly actor: Actor;
  /** The service on behalf of the caller. */
  readonly service: Countersign;
}

/**
 * Does work that waits for others. Its signal aborts when nobody waits for the result any more, or when the service stops.
 *
 * @returns The result of the work; or the failure if the caller is no longer allowed, who then does not get it.
 */
export type Waiting = <T>(work: (signal: AbortSignal) => Promise<Result<T>>) => Promise<Result<T>>;

export interface McpRequest extends McpMessage {
  /** Method, headers, and a signal that aborts when the reply ends. The body is already consumed. */
  readonly request: Request;
  readonly waiting: Waiting;
  /** True for a request that has no result, and ends with its stream. */
  readonly subscribes: boolean;
}

/** MCP over streamable HTTP, without protocol sessions: each request is independent. */
export interface McpTransport {
  /**
   * Answers a message whose reply is one short JSON-RPC message. Never rejects because of what the client sent.
   *
   * @returns The reply as JSON text; `null` if the reply may be a stream: then `answer` takes the request.
   */
  reply(message: McpMessage): Promise<string | null>;
  /** Answers one request. Never rejects because of what the client sent. */
  answer(request: McpRequest): Promise<Response>;
  /** Notifies nobody any more. Calls in progress are answered. */
  endSubscriptions(): void;
  /** Ends everything that is still in progress. */
  close(): Promise<void>;
}
