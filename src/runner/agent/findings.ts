// Finds the MCP servers in a client's own configuration before the client is called.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { ExecutionContext } from '../executor.js';
import { runProcess } from '../process/run-process.js';
import type { AgentCli, ServerDiscovery, ConfiguredServer } from '../../agent-clients/runs/agent-cli.js';

interface ClientLocation extends Pick<ExecutionContext, 'projectDir' | 'environment' | 'signal'> {
  /** The client's program. */
  readonly program: string;
}

/** Standard error is not used. */
const ERROR_BYTES_MAX = 1024;
const { agentLineCharactersMax, agentToolsWaitMs } = DEFAULT_LIMITS;

/** @returns The servers. Empty if the output cannot be parsed: the client then reports the problem itself. */
export async function discoverServers(
  { discovery: findings }: AgentCli,
  location: ClientLocation,
): Promise<readonly ConfiguredServer[]> {
  if (findings === undefined) return [];
  return findings.read(await textOf(findings, location)) ?? [];
}

function textOf(findings: ServerDiscovery, location: ClientLocation): Promise<string> {
  if ('args' in findings) return printed(findings.args, location);
  return readFile(path.join(location.projectDir, findings.file), 'utf8').catch(() => '');
}

async function printed(args: readonly string[], location: ClientLocation): Promise<string> {
  const end = await runProcess({
    command: location.program,
    args,
    shell: false,
    cwd: location.projectDir,
    environment: location.environment,
    input: '',
    outputBytesMax: agentLineCharactersMax,
    errorBytesMax: ERROR_BYTES_MAX,
    killGraceMs: 0,
    closeGraceMs: 1000,
    timeoutMs: agentToolsWaitMs,
    signal: location.signal,
  });
  return end.kind === 'ended' ? end.stdout : '';
}
