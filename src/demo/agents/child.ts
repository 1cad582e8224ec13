// A child: does its work, answers in prose as agents do, and records its result sooner or later, or never.
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { placeOf, type Role } from '../cast.js';
import { granted } from '../fault.js';
import type { AgentContext } from './context.js';
import { writtenBy } from './manners.js';
import { parseUpdateRequest } from './prompt.js';
import { REVIEWS } from './reviews/index.js';

export async function playChild(context: AgentContext, role: Role): Promise<void> {
  await (context.purpose === 'state_update' ? answerRequest(context, role) : work(context, role));
}

/** The work itself. Its last line is the result as data: the service keeps it, whatever happens later. */
async function work(context: AgentContext, role: Role): Promise<void> {
  const review = REVIEWS[role.member];
  if (review === undefined) throw new Error(`Nobody knows how to review ${role.member}.`);
  const { prose, data } = await review(context.folder);
  if (role.manner === 'at_once') await record(context, role, data);
  context.say(prose);
  context.say(JSON.stringify(data));
}

/** Phase 2: the session is resumed with a prompt, and remembers its work by the result that was kept of it. */
async function answerRequest(context: AgentContext, role: Role): Promise<void> {
  const request = parseUpdateRequest(context.prompt, placeOf(role));
  const { result_data: notes } = granted(await context.service.sessions.result(context.sessionName));
  if (!isJsonObject(notes)) throw new Error('Nothing was kept of the work.');
  const value = writtenBy(role.manner, request, notes);
  if (value === null) context.say('I have told you what I found already; see above.');
  else await record(context, role, value);
}

async function record(context: AgentContext, role: Role, value: JsonObject): Promise<void> {
  if (context.stateId === null) throw new Error('There is no state to write to.');
  const operations = [{ op: 'add', path: placeOf(role), value }];
  const outcome = await context.service.states.patch(context.stateId, operations, {});
  if (outcome.ok) context.say(`Recorded at ${placeOf(role)} in version ${outcome.value.version}.`);
  else context.say(`The write was refused: ${outcome.refusal.detail}`);
}
