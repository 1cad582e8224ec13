// MCP on standard input and output: one connection, one caller. Calls the coordinator through the client.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Readable, Writable } from 'node:stream';
import { createMcpServer, stateIdOf, type McpServerOptions } from './server.js';
import { followStates } from './state-changes.js';

interface McpStdioOptions extends Omit<McpServerOptions, 'subscribe'> {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** Serves until the client closes standard input, or the signal aborts. */
export async function serveMcpStdio(options: McpStdioOptions, signal: AbortSignal): Promise<void> {
  const { stdin, stdout, logger } = options;
  const handle = serveStdio(
    ({ era }) => {
      const server = createMcpServer({ ...options, subscribe: true });
      if (era === 'legacy') offerSubscriptions(server, options);
      else tellOfAll(server, options);
      return server;
    },
    {
      transport: new StdioServerTransport(stdin, stdout, { maxBufferSize: 2 * options.limits.bodyBytesMax }),
      maxSubscriptions: options.limits.mcpSubscriptionsMax,
      onerror: (error) => logger.warn({ err: error }, 'mcp connection'),
    },
  );
  await new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}

/** Follows the stream until the server closes; `wants` selects the changes to send. */
function tell(server: McpServer, options: McpStdioOptions, wants: (uri: string) => boolean): void {
  const over = new AbortController();
  const { server: protocol } = server;
  const before = protocol.onclose;
  protocol.onclose = () => {
    over.abort();
    before?.();
  };
  void followStates(options.service.streams, over.signal, options.logger, (uri) => {
    if (wants(uri)) protocol.sendResourceUpdated({ uri }).catch(() => undefined);
  });
}

/** From revision 2026-07-28 on, the SDK filters notifications by subscription. */
function tellOfAll(server: McpServer, options: McpStdioOptions): void {
  tell(server, options, () => true);
}

/** Earlier revisions: `resources/subscribe` and `resources/unsubscribe`. */
function offerSubscriptions(server: McpServer, options: McpStdioOptions): void {
  const uris = new Set<string>();
  let following = false;
  server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (stateIdOf(uri) === null) throw new Error(`Not the URI of a state: ${uri}`);
    uris.add(uri);
    if (!following) tell(server, options, (changed) => uris.has(changed));
    following = true;
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    uris.delete(uri);
    return {};
  });
}
