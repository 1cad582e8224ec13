// The root: starts the children and ends its process; callbacks resume it, and the last one makes it sum up.
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer, valueAt } from '../../domain/json/pointer.js';
import { CHILDREN, SCHEMA_NAME, type Child } from '../children.js';
import { valueOrThrow } from '../fault.js';
import { git } from '../git.js';
import type { AgentContext } from './agent-context.js';
import { parseCallbacks } from './prompt.js';

/** Short, so that the whole story can be watched. */
const PATIENCE = { max_attempts: 3, timeout_ms: 20_000, retry_delay_ms: 300 };
const SAID_CHARACTERS_MAX = 300;

export async function playRoot(context: AgentContext): Promise<void> {
  await (context.purpose === 'callback' ? handleCallbacks(context) : startChildren(context));
}

async function startChildren({ service, folder, print }: AgentContext): Promise<void> {
  const schema = valueOrThrow(await service.schemas.get(SCHEMA_NAME));
  valueOrThrow(
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
  for (const { name, task, pointer, behaviour } of CHILDREN) {
    valueOrThrow(
      await service.runs.create({
        type: 'start_session',
        session_name: name,
        agent_name: name,
        prompt: task,
        callback: true,
        completion: {
          ...PATIENCE,
          mode: behaviour === 'at_once' ? 'unless_satisfied' : 'always',
          contract: { pointer, schema: definitionOf(schema.json_schema, pointer) },
          write_scope: [pointer],
        },
      }),
    );
  }
  print('The children are at work. Their callbacks resume me.');
}

/** The part of the workflow schema that describes what a child owes. */
function definitionOf(schema: JsonObject, pointer: Child['pointer']): JsonObject {
  const definition = valueAt(schema, pointer.replace('/reviews/', '/$defs/'));
  if (!isJsonObject(definition)) throw new Error(`The schema does not describe ${pointer}.`);
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

async function handleCallbacks(context: AgentContext): Promise<void> {
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
  const inStatus = (status: string) =>
    CHILDREN.filter(({ name }) => valueAt(document, `/children/${name}/status`) === status);
  const open = inStatus('open').length;
  context.print(
    `Called back by ${callbacks.map(({ child }) => child).join(', ')}; ${String(open)} still open.`,
  );
  if (open > 0) return;
  const missing = await Promise.all(inStatus('missing').map((child) => resultTextOf(context, child)));
  const findings = findingsOf(document, missing.length);
  const headline = `${numberAt(document, '/reviews/languages/lines')} lines in ${numberAt(document, '/reviews/languages/files')} text files.`;
  const verdict = findings.length === 0 ? 'approve' : 'approve_with_remarks';
  await write(context, [
    { op: 'add', path: '/summary', value: { verdict, headline, findings, missing } },
    { op: 'replace', path: '/status', value: 'completed' },
  ]);
  context.print(`All are in: ${verdict}.`);
}

/** What the root makes of the state. It does not look at the repository. */
function findingsOf(document: JsonValue, missing: number): string[] {
  const counted: [JsonValue | undefined, string][] = [
    [valueAt(document, '/reviews/todos/total'), 'notes are open in comments.'],
    [valueAt(document, '/reviews/dependencies/unknown'), 'dependencies have no known licence.'],
    [missing, 'children have recorded nothing.'],
  ];
  return counted.flatMap(([count, text]) =>
    typeof count === 'number' && count > 0 ? [`${String(count)} ${text}`] : [],
  );
}

function numberAt(document: JsonValue, pointer: string): string {
  const value = valueAt(document, pointer);
  return typeof value === 'number' ? String(value) : '0';
}

/** What a child said that recorded nothing: its text is kept, though not in the state. */
async function resultTextOf({ service }: AgentContext, { name }: Child): Promise<JsonObject> {
  const { result_text: text } = valueOrThrow(await service.sessions.result(name));
  const firstLine = text?.split('\n')[0]?.slice(0, SAID_CHARACTERS_MAX) ?? '';
  return { child: name, said: firstLine === '' ? null : firstLine };
}

async function write({ service, stateId }: AgentContext, operations: JsonValue): Promise<JsonValue> {
  if (stateId === null) throw new Error('There is no state to write to.');
  return valueOrThrow(await service.states.patch(stateId, operations, {})).current_data;
}
