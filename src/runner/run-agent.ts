// The named agent of a run, with its placeholders replaced from the run and from the runner's environment. Pure.
import type { AgentSettings } from '../agent-clients/runs/agent-cli.js';
import { RUNNERS_OWN, type McpServer } from '../domain/agents/blueprint.js';
import { filledIn, type Placeholder } from '../domain/agents/placeholders.js';
import { formatPointer } from '../domain/json/pointer.js';
import type { AgentOfRun, ClaimedRun } from '../ports/api/index.js';

export interface RunAgent extends Required<AgentSettings> {
  readonly name: string;
  /** The agent's command line, for the executor `command`; the other executors use the rest. */
  readonly command: string | null;
}

/** Sources of placeholder values. */
interface AgentSurroundings {
  /** Variables of the run, including `COUNTERSIGN_URL`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly projectDir: string;
  /** Environment of the runner itself. */
  readonly own: Readonly<Record<string, string | undefined>>;
}

/** @returns The agent, `null` if the run has none; or an error message if it cannot run here. */
export function agentOf(run: ClaimedRun, surroundings: AgentSurroundings): RunAgent | null | string {
  const { agent } = run;
  if (agent === undefined) return null;
  if (agent.fault !== null) return agent.fault;
  const filled = new Filled((one) => valueOf(one, run, agent, surroundings));
  const servers = Object.entries(agent.mcp_servers).map(
    ([name, server]) => [name, filled.server(server, `/mcp_servers${formatPointer([name])}`)] as const,
  );
  if (filled.missing !== null) return `${filled.missing} (agent ${agent.name})`;
  return {
    name: agent.name,
    command: agent.command,
    args: agent.args,
    model: agent.model,
    systemPrompt: agent.system_prompt,
    mcpServers: Object.fromEntries(servers),
  };
}

function valueOf(
  placeholder: Placeholder,
  run: ClaimedRun,
  agent: AgentOfRun,
  { environment, projectDir, own }: AgentSurroundings,
): string | null {
  if (placeholder.kind === 'variable') {
    const { name } = placeholder;
    return agent.environment.includes(name) && !RUNNERS_OWN.test(name) ? (own[name] ?? null) : null;
  }
  if (placeholder.kind !== 'known') return null;
  if (placeholder.name === 'PROJECT_DIR') return projectDir;
  if (placeholder.name === 'COUNTERSIGN_RUN_ID') return run.run_id;
  return environment[placeholder.name] ?? (placeholder.name === 'WORKFLOW_STATE_ID' ? '' : null);
}

/** Replaces placeholders and keeps the first location with a missing value. */
class Filled {
  missing: string | null = null;

  constructor(private readonly value: (placeholder: Placeholder) => string | null) {}

  server(server: McpServer, pointer: string): McpServer {
    if (server.type === 'http') {
      return {
        type: 'http',
        url: this.#text(server.url, `${pointer}/url`),
        ...(server.headers && { headers: this.#texts(server.headers, `${pointer}/headers`) }),
      };
    }
    return {
      type: 'stdio',
      command: this.#text(server.command, `${pointer}/command`),
      ...(server.args && {
        args: server.args.map((one, at) => this.#text(one, `${pointer}/args/${String(at)}`)),
      }),
      ...(server.env && { env: this.#texts(server.env, `${pointer}/env`) }),
    };
  }

  #texts(texts: Readonly<Record<string, string>>, pointer: string): Readonly<Record<string, string>> {
    const entries = Object.entries(texts);
    return Object.fromEntries(
      entries.map(([name, text]) => [name, this.#text(text, pointer + formatPointer([name]))]),
    );
  }

  #text(text: string, pointer: string): string {
    const filled = filledIn(text, this.value);
    if ('text' in filled) return filled.text;
    this.missing ??= `${pointer}: this runner has nothing for ${filled.missing}`;
    return text;
  }
}
