// The modes of a tree's workflow: those of its schema, or those of the folder of agents.
import type { JsonObject } from '../../domain/json/json.js';
import { fail, ok, type Result } from '../../domain/errors.js';
import { modesFrom, modesOf, type Mode } from '../../domain/workflow/modes.js';
import { firstOf, MODES_FILE, type AgentRegistry } from './agent-registry.js';

/** @returns None if neither defines modes; or `agent_broken` if the file of the folder cannot be used. */
export async function workflowModes(
  agents: AgentRegistry,
  schema: JsonObject,
): Promise<Result<readonly Mode[]>> {
  const own = modesOf(schema);
  if (own.length > 0) return ok(own);
  const file = await agents.modes();
  if ('value' in file) return ok(modesFrom(file.value));
  const { faults } = file;
  const detail = `The file ${MODES_FILE}.json of the agents cannot be used${firstOf(faults)}.`;
  return fail('agent_broken', detail, { agent: MODES_FILE, errors: faults });
}
