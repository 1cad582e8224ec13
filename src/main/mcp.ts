// `countersign mcp`: the MCP door on standard input and output, for one agent, on a coordinator elsewhere.
import { EXIT, UsageError, type CliIo, type McpOptions } from '../cli/index.js';
import { createClient } from '../client/index.js';
import { boundSessionId } from '../domain/hooks/binding.js';
import { clientSessionsOf, type ClientSession } from '../domain/hooks/client-session.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';
import type { Identified } from '../mcp/index.js';
import { ClientSessions } from '../ports/client-sessions.js';
import { createLogger } from './logger.js';
import { untilAskedToStop } from './signals.js';
import { VERSION } from './version.js';

/** Standard output is the protocol's; whatever else there is to say goes to standard error. */
export async function runMcp({ url, token, logLevel }: McpOptions, { env }: CliIo): Promise<number> {
  const sessionId = set(env['AGENT_SESSION_ID']);
  const sessionName = set(env['AGENT_SESSION_NAME']);
  const stateId = set(env['WORKFLOW_STATE_ID']);
  const over = new AbortController();
  void untilAskedToStop(() => process.exit(EXIT.refused)).then(() => over.abort());
  const { serveMcpStdio } = await import('../mcp/index.js');
  const coordinator = { url, token, sessionId, sessionName, signal: over.signal };
  const logger = createLogger(logLevel);
  const as = (id: string | undefined, name: string | undefined): Identified => {
    const asking = { ...coordinator, sessionId: id, sessionName: name };
    return {
      service: clientOf(asking),
      once: ({ key: idempotencyKey, toolCallId }, work) =>
        work(clientOf({ ...asking, idempotencyKey, toolCallId })),
      caller: { session: id ?? name ?? null, stateId: stateId ?? null },
    };
  };
  const own = as(sessionId, sessionName);
  const nobody = token === undefined && own.caller.session === null;
  const conversations = new ClientSessions(own.service.sessions, boundSessionId);
  const named = clientSessionsOf(env);
  const asConversation = async (asked: ClientSession | null): Promise<Identified | null> => {
    const found = await conversations.findOne(asked === null ? named : [asked]);
    return found === null ? null : as(found, undefined);
  };
  giveSigns(
    async () => (nobody ? ((await asConversation(null)) ?? null) : own),
    DEFAULT_LIMITS.mcpHeartbeatMs,
    over.signal,
  );
  await serveMcpStdio(
    {
      ...own,
      asConversation: nobody ? asConversation : undefined,
      limits: DEFAULT_LIMITS,
      logger,
      version: VERSION,
      stdin: process.stdin,
      stdout: process.stdout,
    },
    over.signal,
  );
  over.abort();
  return EXIT.ok;
}

function clientOf(options: Parameters<typeof createClient>[0]): ReturnType<typeof createClient> {
  try {
    return createClient(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** A variable that is empty says nothing. */
function set(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** The client that started this program lives as long as it does: its session, where nobody else runs that, sends heartbeats. */
function giveSigns(who: () => Promise<Identified | null>, everyMs: number, signal: AbortSignal): void {
  const give = async () => {
    const { service, caller } = (await who()) ?? {};
    if (service === undefined || caller?.session == null) return;
    const told = await service.sessions.report(caller.session, { type: 'heartbeat' });
    if (!told.ok && told.refusal.error === 'session_not_external') clearInterval(timer);
  };
  // What is missed is given the next time.
  const timer = setInterval(() => void give().catch(() => undefined), everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
