// MCP on standard input and output: one connection, one caller. Calls the coordinator through the client.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server';
import type { Readable, Writable } from 'node:stream';
import { linkSignals } from '../../lib/signals.js';
import { sleep } from '../../lib/backoff.js';
import { StdioConnection } from './stdio-connection.js';
import { createMcpServer, type McpServerOptions } from '../server.js';
import { followStates } from './state-changes.js';
import { unreadable } from './subscriptions.js';

interface McpStdioOptions extends Omit<McpServerOptions, 'subscribe'> {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/**
 * How long requests may go on after the client has closed standard input, milliseconds. Clients end a server that does
 * not end itself soon after that.
 */
const LAST_ANSWERS_MS = 5_000;
/** How long the client may take to read what is written at the end, milliseconds. */
const LAST_READS_MS = 1_000;

/**
 * Serves until the client closes standard input and has its answers, or the signal aborts. The output may hold what a
 * client did not read in time.
 *
 * @returns False if the connection ended because of a fault, such as a message that is too long.
 */
export async function serveMcpStdio(options: McpStdioOptions, signal: AbortSignal): Promise<boolean> {
  const { stdin, stdout, logger } = options;
  const transport = new StdioConnection(stdin, stdout, 2 * options.limits.bodyBytesMax);
  const closing = { isOurs: false, isFault: false };
  const handle = serveStdio(
    async ({ era }) => {
      const server = createMcpServer({ ...options, subscribe: true });
      if (era === 'legacy') offerSubscriptions(server, options);
      // The SDK filters notifications by subscription, and answers subscriptions by itself.
      else await notifyOfChanges(server, options, () => true);
      return server;
    },
    {
      transport,
      maxSubscriptions: options.limits.mcpSubscriptionsMax,
      onerror: (error) => logger.warn({ err: error }, 'mcp connection'),
    },
  );
  const ending = new AbortController();
  const end = () => ending.abort();
  const closed = transport.onclose;
  transport.onclose = () => {
    closing.isFault = !closing.isOurs;
    end();
    closed?.();
  };
  stdin.once('end', end).once('close', end).once('error', end);
  signal.addEventListener('abort', end, { once: true });
  await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }));
  if (!closing.isFault && !signal.aborted) {
    const enough = linkSignals(signal);
    await Promise.race([transport.answered(), sleep(LAST_ANSWERS_MS, enough.signal)]);
    enough.abort();
    enough.release();
  }
  closing.isOurs = true;
  await handle.close();
  await flush(stdout);
  return !closing.isFault;
}

/** Waits until the output has taken all that is written, or for as long as a client may take. */
async function flush(stdout: Writable): Promise<void> {
  if (stdout.writableLength === 0) return;
  const flushed = new AbortController();
  stdout.write('', () => flushed.abort());
  await sleep(LAST_READS_MS, flushed.signal);
}

/** How long a subscription waits at most until the stream is open, milliseconds. */
const OPENING_MS = 2_000;

/**
 * Follows the stream until the server closes; `wants` selects the changes to send.
 *
 * @returns When the stream is open: from then on no change is missed. Or when it could not be opened.
 */
async function notifyOfChanges(
  server: McpServer,
  options: McpStdioOptions,
  wants: (uri: string) => boolean,
): Promise<void> {
  const ending = new AbortController();
  const { server: protocol } = server;
  const before = protocol.onclose;
  protocol.onclose = () => {
    ending.abort();
    before?.();
  };
  const tried = new AbortController();
  void followStates(options.service.streams, ending.signal, options.logger, {
    change: (uri) => {
      if (wants(uri)) protocol.sendResourceUpdated({ uri }).catch(() => undefined);
    },
    tried: () => tried.abort(),
  });
  await sleep(OPENING_MS, tried.signal);
}

/** Earlier revisions: `resources/subscribe` and `resources/unsubscribe`. */
function offerSubscriptions(server: McpServer, options: McpStdioOptions): void {
  const uris = new Set<string>();
  let following: Promise<void> | null = null;
  server.server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const fault = await unreadable([uri], options.service);
    if (fault !== null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, fault);
    uris.add(uri);
    following ??= notifyOfChanges(server, options, (changed) => uris.has(changed));
    await following;
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    uris.delete(uri);
    return {};
  });
}
