// The root: splits the review among children, sleeps (its process ends), and is resumed by their callbacks.
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { CHILDREN, placeOf, SCHEMA_NAME, type Role } from '../cast.js';
import { granted } from '../fault.js';
import { git } from '../git.js';
import type { AgentContext } from './context.js';
import { parseCallbacks } from './prompt.js';
import { summaryOf, type Missing } from './summary.js';

/** Short, so that the whole story can be watched. */
const PATIENCE = { max_attempts: 3, timeout_ms: 20_000, retry_delay_ms: 300 };
const SAID_CHARACTERS_MAX = 300;

export async function playRoot(context: AgentContext): Promise<void> {
  await (context.purpose === 'callback' ? hearCallbacks(context) : begin(context));
}

async function begin(context: AgentContext): Promise<void> {
  const { service, folder } = context;
  const schema = granted(await service.schemas.get(SCHEMA_NAME));
  granted(
    await service.states.create({
      schema_name: SCHEMA_NAME,
      initial_data: {
        repository: await describeRepository(folder),
        status: 'collecting',
        children: Object.fromEntries(CHILDREN.map(({ name }) => [name, { status: 'open' }])),
        reviews: {},
      },
    }),
  );
  for (const role of CHILDREN) {
    granted(
      await service.runs.create({
        type: 'start_session',
        session_name: role.name,
        agent_name: role.name,
        prompt: role.task,
        callback: true,
        completion: {
          ...PATIENCE,
          mode: role.manner === 'at_once' ? 'unless_satisfied' : 'always',
          contract: { pointer: placeOf(role), schema: definitionOf(schema.json_schema, role) },
          write_scope: [placeOf(role)],
        },
      }),
    );
  }
  context.say('The children are at work. I sleep until they call back.');
}

/** The part of the workflow schema that describes what a child owes. */
function definitionOf(schema: JsonObject, role: Role): JsonObject {
  const definitions = schema['$defs'];
  const definition = isJsonObject(definitions) ? definitions[role.member] : undefined;
  if (!isJsonObject(definition)) throw new Error(`The schema does not describe ${role.member}.`);
  return definition;
}

async function describeRepository(folder: string): Promise<JsonObject> {
  const [commit, branch, commits, files] = await Promise.all([
    git(folder, ['rev-parse', 'HEAD']),
    git(folder, ['rev-parse', '--abbrev-ref', 'HEAD']),
    git(folder, ['rev-list', '--count', 'HEAD']),
    git(folder, ['ls-files', '-z']),
  ]);
  return {
    name: folder.split(/[\\/]/).at(-1) ?? folder,
    path: folder,
    commit,
    branch,
    commits: Number(commits),
    files: files.split('\0').filter((name) => name !== '').length,
  };
}

async function hearCallbacks(context: AgentContext): Promise<void> {
  const callbacks = parseCallbacks(context.prompt);
  const document = await write(
    context,
    callbacks.map(({ child, recorded, stateVersion }) => ({
      op: 'replace',
      path: `/children${formatPointer([child])}`,
      value: {
        status: recorded ? 'recorded' : 'missing',
        ...(stateVersion === null ? {} : { state_version: stateVersion }),
      },
    })),
  );
  const children = Object.entries(isJsonObject(document['children']) ? document['children'] : {});
  const inStatus = (status: string) =>
    children.filter(([, one]) => isJsonObject(one) && one['status'] === status).map(([name]) => name);
  const open = inStatus('open');
  context.say(`Heard from ${callbacks.map(({ child }) => child).join(', ')}; ${open.length} still open.`);
  if (open.length > 0) return;
  const missing = await Promise.all(inStatus('missing').map((child) => lastWordsOf(context, child)));
  const reviews = document['reviews'];
  const summary = summaryOf(isJsonObject(reviews) ? reviews : {}, missing);
  await write(context, [
    { op: 'add', path: '/summary', value: summary },
    { op: 'replace', path: '/status', value: 'completed' },
  ]);
  context.say(`All are in: ${summary.verdict}.`);
}

/** What a child that recorded nothing had said: its work is kept, though not in the state. */
async function lastWordsOf({ service }: AgentContext, child: string): Promise<Missing> {
  const { result_text: text } = granted(await service.sessions.result(child));
  const said = text?.split('\n')[0]?.slice(0, SAID_CHARACTERS_MAX) ?? '';
  return { child, said: said === '' ? null : said };
}

async function write({ service, stateId }: AgentContext, operations: JsonValue): Promise<JsonObject> {
  if (stateId === null) throw new Error('There is no state to write to.');
  const { current_data: document } = granted(await service.states.patch(stateId, operations, {}));
  if (!isJsonObject(document)) throw new Error('The state is no object.');
  return document;
}
