// `countersign mcp`: the MCP door on standard input and output, for one agent, on a coordinator elsewhere.
import { EXIT, UsageError, type CliIo, type McpOptions } from '../cli/index.js';
import { createClient } from '../client/index.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';
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
  await serveMcpStdio(
    {
      service: clientOf(coordinator),
      once: ({ key: idempotencyKey, toolCallId }, work) =>
        work(clientOf({ ...coordinator, idempotencyKey, toolCallId })),
      caller: { session: sessionId ?? sessionName ?? null, stateId: stateId ?? null },
      limits: DEFAULT_LIMITS,
      logger: createLogger(logLevel),
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
