// Tool calls of earlier protocol revisions whose reply is one message. The SDK's transport for these revisions opens an
// event stream for each call, which costs more than the call itself; this one returns the reply, to be sent as JSON.
import {
  classifyInboundRequest,
  isJsonContentType,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServer,
  type Transport,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../domain/json/json.js';
import type { McpMessage } from '../../ports/mcp-transport.js';
import { TOOLS } from '../tools/index.js';

/** @returns The call, if it sends no notification before its reply; `null` for all other messages. */
export function singleReplyCall({ header, body }: McpMessage): JSONRPCRequest | null {
  if (!isJsonObject(body) || body['method'] !== 'tools/call' || !isJsonObject(body['params'])) return null;
  const { name, arguments: args, _meta: meta } = body['params'];
  if (isJsonObject(meta) && meta['progressToken'] !== undefined) return null;
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined || tool.waits?.(args) === true) return null;
  return isJSONRPCRequest(body) && isEarlierRevision(header, body) ? body : null;
}

/** True for requests that the SDK would serve as those of a revision before 2026-07-28. */
function isEarlierRevision(header: McpMessage['header'], body: JSONRPCRequest): boolean {
  const accept = header('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  if (!isJsonContentType(header('content-type'))) return false;
  if (header('mcp-method') !== null || header('mcp-name') !== null) return false;
  const version = header('mcp-protocol-version');
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return false;
  const named = version === null ? {} : { protocolVersionHeader: version };
  return classifyInboundRequest({ httpMethod: 'POST', ...named, body }).kind === 'legacy';
}

/**
 * Passes one request to a server and returns its reply.
 *
 * @param server - Of this request alone. It has nothing left to close after its reply.
 */
export async function replyTo(server: McpServer, request: JSONRPCRequest): Promise<JSONRPCMessage> {
  const transport = new SingleReply();
  await server.connect(transport);
  transport.onmessage?.(request);
  return transport.reply;
}

class SingleReply implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly reply: Promise<JSONRPCMessage>;
  #resolve: (reply: JSONRPCMessage) => void = () => undefined;

  constructor() {
    this.reply = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    // A notification has no reader here: the call asked for no progress.
    if (!('method' in message)) this.#resolve(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}
