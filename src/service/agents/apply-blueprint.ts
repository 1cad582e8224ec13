// What a start comes to with a named agent: its file gives the defaults, what the start says itself wins. Also what the
// runner gets of it.
import type { Blueprint } from '../../domain/agents/blueprint.js';
import { accepted, type Outcome } from '../../domain/errors.js';
import type { Session } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { ServiceContext } from '../context.js';
import { mapped } from '../outcomes.js';
import type { AgentRegistry } from './agent-registry.js';
import { completionOf } from './agent-service.js';

type Body = Pick<api.RunCreate, 'agent_name' | 'project_dir' | 'completion' | 'demands' | 'timeout_ms'> & {
  delivery?: api.SessionCreate['delivery'];
};

/** A body with all that its agent adds. */
export type Ordered<B> = B & Pick<api.RunCreate, 'demands' | 'timeout_ms'>;

/**
 * A start on the terms of the agent that it names, member by member.
 *
 * @returns The body as it came where it names none, or there are no named agents; or `agent_not_found`, `agent_broken`.
 */
export async function onTermsOf<B extends Body>(book: AgentRegistry, body: B): Promise<Outcome<Ordered<B>>> {
  if (body.agent_name === undefined || !book.isKept) return accepted(body);
  return mapped(await book.find(body.agent_name), (blueprint) => ({
    ...defaultsOf(blueprint, body),
    ...body,
    ...joined(blueprint, body),
  }));
}

/** Members that the body has none of. */
function defaultsOf({ project_dir, timeout_ms, delivery }: Blueprint, body: Body) {
  return {
    ...(project_dir === undefined ? {} : { project_dir }),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    // A delivery by webhook takes a URL, which is the start's to name.
    ...(delivery === undefined || body.delivery !== undefined ? {} : { delivery }),
  };
}

/** Members that both may have a part of. */
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

/** How long a run of further work may take by default; what is wrong with the file shows when the run is handed out. */
export async function timeoutOf(
  { agents }: Pick<ServiceContext, 'agents'>,
  { agentName }: Session,
): Promise<number | undefined> {
  const file = agentName === null ? null : await agents.look(agentName);
  return file !== null && 'blueprint' in file ? file.blueprint.timeout_ms : undefined;
}

/** The agent of a run as its runner gets it; `undefined` where it has none. */
export async function agentOfRun(
  book: AgentRegistry,
  session: Session | null,
): Promise<api.AgentOfRun | undefined> {
  const name = session?.agentName ?? null;
  if (name === null || !book.isKept) return undefined;
  const found = await book.find(name);
  const blueprint: Partial<Blueprint> = found.ok ? found.value : {};
  return {
    name,
    fault: found.ok ? null : found.refusal.detail,
    command: blueprint.command ?? null,
    args: [...(blueprint.args ?? [])],
    model: blueprint.model ?? null,
    system_prompt: blueprint.system_prompt ?? null,
    mcp_servers: structuredClone(blueprint.mcp_servers ?? {}) as api.AgentOfRun['mcp_servers'],
    environment: [...(blueprint.environment ?? [])],
  };
}
