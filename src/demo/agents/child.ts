// A child: works, answers in prose as agents do, and records its result sooner or later, or never.
import type { JsonObject } from '../../domain/json/json.js';
import type { Behaviour, Child } from '../children.js';
import type { AgentContext } from './agent-context.js';
import { parseUpdateRequest, type UpdateRequest } from './prompt.js';
import { REVIEWS } from './reviews/index.js';

/** The program has no memory of its work: a run that records looks at the repository again. */
export async function playChild(context: AgentContext, child: Child): Promise<void> {
  const review = REVIEWS[child.name];
  if (review === undefined) throw new Error(`There is no review for ${child.name}.`);
  const { prose, data } = await review(context.folder);
  if (context.purpose === 'state_update') {
    const request = parseUpdateRequest(context.prompt, child.pointer);
    const value = writtenBy(child.behaviour, request, data);
    if (value === null) context.print('I have told you what I found already; see above.');
    else await record(context, child, value);
    return;
  }
  context.print(prose);
  if (child.behaviour === 'at_once') await record(context, child, data);
}

async function record(
  { service, stateId, print }: AgentContext,
  child: Child,
  value: JsonObject,
): Promise<void> {
  if (stateId === null) throw new Error('There is no state to write to.');
  const result = await service.states.patch(stateId, [{ op: 'add', path: child.pointer, value }], {});
  if (result.ok) print(`Recorded at ${child.pointer} in version ${String(result.value.version)}.`);
  else print(`The write was refused: ${result.failure.detail}`);
}

/** @returns What a child writes when it is asked to record; `null` where it writes nothing. */
export function writtenBy(behaviour: Behaviour, request: UpdateRequest, data: JsonObject): JsonObject | null {
  switch (behaviour) {
    case 'at_once':
    case 'when_asked':
      return data;
    case 'corrects_itself': {
      const corrected = Object.entries(data).filter(([name]) => request.wrongMembers.includes(name));
      return { ...numbersAsProse(data), ...Object.fromEntries(corrected) };
    }
    case 'last_prompt':
      return request.attempt >= 3 ? data : null;
    case 'never':
      return null;
  }
}

/** What a model writes that did not read the schema. */
function numbersAsProse(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'number' ? `about ${String(value)}` : value,
    ]),
  );
}
