// Applies a named agent's blueprint to a start request: the blueprint gives defaults, the request overrides them.
// Also builds the agent description that a runner gets.
import type { Blueprint } from '../../domain/agents/blueprint.js';
import { ok, type Result } from '../../domain/errors.js';
import type { Session } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { mapped } from '../results.js';
import type { AgentRegistry } from './agent-registry.js';
import { completionOf } from './agent-service.js';

interface Parts {
  readonly agents: AgentRegistry;
}

type Body = Pick<api.RunCreate, 'agent_name' | 'project_dir' | 'completion' | 'demands' | 'timeout_ms'> & {
  delivery?: api.SessionCreate['delivery'];
};

/** A request body, completed from the agent's blueprint. */
export type Ordered<B> = B & Pick<api.RunCreate, 'demands' | 'timeout_ms'>;

/**
 * Completes a start request from the blueprint of the agent that it names, member by member.
 *
 * @returns The unchanged body if it names no agent or the service has no named agents; or `agent_not_found` or
 *   `agent_broken`.
 */
export async function onTermsOf<B extends Body>(agents: AgentRegistry, body: B): Promise<Result<Ordered<B>>> {
  if (body.agent_name === undefined || !agents.isKept) return ok(body);
  return mapped(await agents.find(body.agent_name), (blueprint) => ({
    ...defaultsOf(blueprint, body),
    ...body,
    ...joined(blueprint, body),
  }));
}

/** Defaults for members that the body leaves out. */
function defaultsOf({ project_dir, timeout_ms, delivery }: Blueprint, body: Body) {
  return {
    ...(project_dir === undefined ? {} : { project_dir }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    // A delivery by webhook needs a URL, so only the request can ask for one.
    ...(delivery === undefined || body.delivery !== undefined ? {} : { delivery }),
  };
}

/** Members that are merged: the blueprint gives some parts, the body overrides them. */
function joined(blueprint: Blueprint, body: Body): Pick<Body, 'demands' | 'completion'> {
  const completion = completionOf(blueprint);
  const { hostname, tags } = blueprint.demands ?? {};
  return {
    demands: {
      executor_type: blueprint.executor,
      ...(hostname === undefined ? {} : { hostname }),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      ...body.demands,
    },
    ...(completion === undefined && body.completion === undefined
      ? {}
      : { completion: { ...completion, ...body.completion } }),
  };
}

/**
 * The default timeout of a run of further work, in milliseconds; `undefined` if the agent has none or its file is
 * broken. A broken file is reported when a runner gets the run.
 */
export async function timeoutOf({ agents }: Parts, { agentName }: Session): Promise<number | undefined> {
  const file = agentName === null ? null : await agents.look(agentName);
  return file !== null && 'blueprint' in file ? file.blueprint.timeout_ms : undefined;
}

/** The description of a run's agent for the runner; `undefined` if the run has no named agent. */
export async function agentOfRun(
  agents: AgentRegistry,
  session: Session | null,
): Promise<api.AgentOfRun | undefined> {
  const name = session?.agentName ?? null;
  if (name === null || !agents.isKept) return undefined;
  const found = await agents.find(name);
  const blueprint: Partial<Blueprint> = found.ok ? found.value : {};
  return {
    name,
    fault: found.ok ? null : found.failure.detail,
    command: blueprint.command ?? null,
    args: [...(blueprint.args ?? [])],
    model: blueprint.model ?? null,
    system_prompt: blueprint.system_prompt ?? null,
    mcp_servers: structuredClone(blueprint.mcp_servers ?? {}) as api.AgentOfRun['mcp_servers'],
    environment: [...(blueprint.environment ?? [])],
  };
}
