// Use cases of named agents.
import { mayUse } from '../../domain/access/access.js';
import { ok } from '../../domain/errors.js';
import { isJsonArray, parsedJson } from '../../domain/json/json.js';
import type * as api from '../../ports/api/index.js';
import type { AgentService } from '../../ports/service.js';
import { BadCursorError } from '../../ports/storage/reader.js';
import type { Limits } from '../../domain/limits.js';
import type { Blueprint } from '../../domain/agents/blueprint.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import type { AgentFile, AgentRegistry } from './agent-registry.js';

export interface AgentServiceParts {
  readonly limits: Limits;
  readonly agents: AgentRegistry;
}

export function agentService({ context, actor }: Caller<AgentServiceParts>): AgentService {
  const { agents, limits } = context;
  return {
    async list({ limit = limits.listItemsDefault, cursor }) {
      return andThen(mayUse(actor, 'read'), async () => {
        const last = cursor === undefined ? '' : nameIn(cursor);
        const names = (await agents.names()).filter((name) => name > last);
        const shown = names.slice(0, limit);
        const files = await Promise.all(shown.map((name) => agents.look(name)));
        return ok({
          items: files.flatMap((file) => (file === null ? [] : [viewOf(file)])),
          next_cursor: names.length > limit ? cursorAfter(shown.at(-1) ?? '') : null,
        });
      });
    },
    async get(name) {
      return andThen(mayUse(actor, 'read'), async () => {
        const file = await agents.look(name);
        if (file !== null) return ok(detailOf(file));
        // There is no such agent. `find` returns the failure, which lists the known names.
        return andThen(agents.find(name), (blueprint) => ok(detailOf({ name, blueprint })));
      });
    },
  };
}

/** The name of the list in its cursors, so that those of other lists are none of it. */
const LIST = 'agents';

/** Creates the cursor that continues the list after an agent. */
function cursorAfter(name: string): string {
  return Buffer.from(JSON.stringify([LIST, name])).toString('base64url');
}

/**
 * Reads after which agent the list continues.
 *
 * @throws BadCursorError The cursor is not one of this list.
 */
function nameIn(cursor: string): string {
  const parsed = parsedJson(Buffer.from(cursor, 'base64url').toString());
  const [list, name] = isJsonArray(parsed) ? parsed : [];
  if (list === LIST && typeof name === 'string') return name;
  throw new BadCursorError('The cursor is not one of the list of agents');
}

function viewOf(file: AgentFile): api.AgentView {
  const { name } = file;
  if ('faults' in file) return { ...UNKNOWN, name, status: 'broken', errors: [...file.faults] };
  const { blueprint } = file;
  const { hostname, tags } = blueprint.demands ?? {};
  return {
    name,
    status: 'ready',
    description: blueprint.description ?? null,
    executor: blueprint.executor,
    model: blueprint.model ?? null,
    mcp_servers: Object.keys(blueprint.mcp_servers ?? {}),
    project_dir: blueprint.project_dir ?? null,
    timeout_ms: blueprint.timeout_ms ?? null,
    delivery: blueprint.delivery ?? null,
    demands: { ...(hostname === undefined ? {} : { hostname }), ...(tags && { tags: [...tags] }) },
    completion: completionOf(blueprint) ?? {},
    errors: [],
  };
}

function detailOf(file: AgentFile): api.AgentDetail {
  const prompt = 'blueprint' in file ? (file.blueprint.system_prompt ?? null) : null;
  return { ...viewOf(file), system_prompt: prompt };
}

/** The agent's default completion options, in the form that a request uses. */
export function completionOf({ completion }: Blueprint): api.CompletionOptions | undefined {
  if (completion === undefined) return undefined;
  const { write_scope, contract, ...rest } = completion;
  return {
    ...rest,
    ...(contract === undefined ? {} : { contract: { ...contract } }),
    ...(write_scope === undefined ? {} : { write_scope: [...write_scope] }),
  };
}

const UNKNOWN: Omit<api.AgentView, 'name' | 'status' | 'errors'> = {
  description: null,
  executor: null,
  model: null,
  mcp_servers: [],
  project_dir: null,
  timeout_ms: null,
  delivery: null,
  demands: {},
  completion: {},
};
