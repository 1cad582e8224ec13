// `countersign mcp`: the MCP server on standard input and output, for one agent. Calls a coordinator in another
// process.
import { nonEmpty } from '../../cli/flag.js';
import { clientFor, EXIT, type CliIo, type McpOptions } from '../../cli/index.js';
import { boundSessionId } from '../../domain/session-ids.js';
import { clientSessionsOf, type ClientSession } from '../../agent-clients/conversations.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { Identified } from '../../mcp/index.js';
import { ClientSessions } from '../../ports/client-sessions.js';
import { createLogger } from '../process/logger.js';
import { untilStopSignal } from '../process/signals.js';
import { VERSION } from '../version.js';

/** Interval of the heartbeats for the session of the client, milliseconds. */
const HEARTBEAT_MS = 60_000;

/** Standard output carries the protocol only; the log goes to standard error. */
export async function runMcp({ url, token, logLevel }: McpOptions, { env }: CliIo): Promise<number> {
  const sessionId = nonEmpty(env['AGENT_SESSION_ID']);
  const sessionName = nonEmpty(env['AGENT_SESSION_NAME']);
  const stateId = nonEmpty(env['WORKFLOW_STATE_ID']);
  const ending = new AbortController();
  void untilStopSignal(() => process.exit(EXIT.refused)).then(() => ending.abort());
  const { callingSession, serveMcpStdio } = await import('../../mcp/index.js');
  const coordinator = { url, token, sessionId, sessionName, signal: ending.signal };
  const logger = createLogger(logLevel);
  const as = (id: string | undefined, name: string | undefined): Identified => {
    const caller = { ...coordinator, sessionId: id, sessionName: name };
    return {
      service: clientFor(caller),
      once: ({ key: idempotencyKey, toolCallId }, work) =>
        work(clientFor({ ...caller, idempotencyKey, toolCallId })),
      caller: { session: id ?? name ?? null, stateId: stateId ?? null },
    };
  };
  const own = as(sessionId, sessionName);
  const isNobody = token === undefined && own.caller.session === null;
  const conversations = new ClientSessions(own.service.sessions, boundSessionId);
  const named = clientSessionsOf(env);
  const asConversation = async (asked: ClientSession | null): Promise<Identified | null> => {
    const found = await conversations.findOne(asked === null ? named : [asked]);
    return found === null ? null : as(found, undefined);
  };
  const session = async (): Promise<SessionOf | null> => {
    const found = isNobody ? await asConversation(null) : own;
    const calling = found === null ? null : await callingSession(found);
    if (found === null || calling?.ok !== true || calling.value === null) return null;
    return { service: found.service, session: calling.value };
  };
  sendHeartbeats(session, ending.signal);
  const endedWell = await serveMcpStdio(
    {
      ...own,
      asConversation: isNobody ? asConversation : undefined,
      limits: DEFAULT_LIMITS,
      logger,
      version: VERSION,
      stdin: process.stdin,
      stdout: process.stdout,
    },
    ending.signal,
  );
  ending.abort();
  const code = endedWell ? EXIT.ok : EXIT.refused;
  // Output that nobody reads would keep the process.
  if (process.stdout.writableLength > 0) process.exit(code);
  return code;
}

/** A session, and the service on its behalf. */
interface SessionOf {
  readonly service: Identified['service'];
  /** Its id or name. */
  readonly session: string;
}

/** While this program runs, its client is alive: sends heartbeats for the client's session if that is external. */
function sendHeartbeats(find: () => Promise<SessionOf | null>, signal: AbortSignal): void {
  const send = async () => {
    const found = await find();
    if (found === null) return;
    const reported = await found.service.sessions.report(found.session, { type: 'heartbeat' });
    if (!reported.ok && reported.failure.error === 'session_not_external') clearInterval(timer);
  };
  // A heartbeat that fails is followed by the next one.
  const timer = setInterval(() => void send().catch(() => undefined), HEARTBEAT_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
