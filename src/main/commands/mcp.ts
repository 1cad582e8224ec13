// `countersign mcp`: the MCP server on standard input and output, for one agent. Calls a coordinator in another
// process.
import { EXIT, type CliIo, type McpOptions } from '../../cli/index.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { clientFor } from '../client-for.js';
import { createLogger } from '../logger.js';
import { untilAskedToStop } from '../signals.js';
import { VERSION } from '../version.js';

/** Standard output carries the protocol only; the log goes to standard error. */
export async function runMcp({ url, token, logLevel }: McpOptions, { env }: CliIo): Promise<number> {
  const sessionId = set(env['AGENT_SESSION_ID']);
  const sessionName = set(env['AGENT_SESSION_NAME']);
  const stateId = set(env['WORKFLOW_STATE_ID']);
  const over = new AbortController();
  void untilAskedToStop(() => process.exit(EXIT.refused)).then(() => over.abort());
  const { serveMcpStdio } = await import('../../mcp/index.js');
  const coordinator = { url, token, sessionId, sessionName, signal: over.signal };
  await serveMcpStdio(
    {
      service: clientFor(coordinator),
      once: ({ key: idempotencyKey, toolCallId }, work) =>
        work(clientFor({ ...coordinator, idempotencyKey, toolCallId })),
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

/** Treats an empty variable as absent. */
function set(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
