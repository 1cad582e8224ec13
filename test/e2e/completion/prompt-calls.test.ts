// The call that a prompt spells out is run as it stands: by the command line as a process, and by curl's line over HTTP.
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../../support/built-program.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';
import type { CompletionOptions, JsonObject } from '../../../src/client/index.js';

const closed = { type: 'object', additionalProperties: false } as const;
const text = { type: 'string' } as const;
const verdict = {
  ...closed,
  required: ['verdict', 'files', 'at'],
  properties: {
    verdict: { enum: ['pass', 'fail'] },
    files: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^src/[a-z]+\\.ts$' } },
    at: { type: 'string', format: 'date-time' },
    note: text,
  },
} as const;
const item = { ...closed, required: ['id'], properties: { id: text, done: { type: 'boolean' } } } as const;

interface Story {
  readonly schema: JsonObject;
  readonly initial?: JsonObject;
  readonly completion?: CompletionOptions;
  /** Where the result stands in the end. */
  readonly at: string;
}

const stories: Readonly<Record<string, Story>> = {
  closed: {
    schema: { ...closed, properties: { a: text, b: { type: 'integer', minimum: 4 } } },
    initial: { a: "it's" },
    at: '/b',
  },
  nested: {
    schema: { ...closed, properties: { reviews: { ...closed, properties: { api: verdict } } } },
    initial: { reviews: {} },
    completion: { contract: { pointer: '/reviews/api', schema: verdict } },
    at: '/reviews/api',
  },
  reference: {
    schema: {
      type: 'object',
      $ref: '#/$defs/plan',
      $defs: { plan: { ...closed, properties: { c: { $ref: '#/$defs/v' } } }, v: verdict },
    },
    at: '/c',
  },
  patterns: { schema: { ...closed, patternProperties: { '^task-[0-9]{3}$': item } }, at: '/task-000' },
  keyed: {
    schema: { ...closed, properties: { tasks: { type: 'array', 'x-key': 'id', items: item } } },
    initial: { tasks: [{ id: 'example' }] },
    completion: { write_scope: ['/tasks'] },
    at: '/tasks/1',
  },
  'without parents': {
    schema: { type: 'object' },
    completion: { write_scope: ['/reviews/api'], contract: { pointer: '/reviews/api', schema: verdict } },
    at: '/reviews/api',
  },
  'without parents, closed': {
    schema: { ...closed, properties: { reviews: { ...closed, properties: { api: verdict, web: verdict } } } },
    completion: { write_scope: ['/reviews/api'] },
    at: '/reviews/api',
  },
  'of a parent with further members': {
    schema: {
      ...closed,
      properties: { reviews: { type: 'object', required: ['title'], properties: { title: text } } },
    },
    completion: { contract: { pointer: '/reviews/api', schema: verdict } },
    at: '/reviews/api',
  },
  'of a scope within the contract': {
    schema: { type: 'object' },
    initial: { reviews: { web: 1 } },
    completion: {
      write_scope: ['/reviews/api'],
      contract: {
        pointer: '/reviews',
        schema: { type: 'object', required: ['api'], properties: { api: verdict } },
      },
    },
    at: '/reviews/api',
  },
  'of the whole document': {
    schema: { type: 'object' },
    initial: { kept: 1 },
    completion: {
      contract: {
        pointer: '',
        schema: { type: 'object', required: ['done'], properties: { done: { const: true } } },
      },
    },
    at: '/done',
  },
};

describe.concurrent('the call of a prompt is accepted as it stands', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  /** Runs a line in a shell where `countersign` is the built program. */
  async function shell(line: string, session: string, stateId: string): Promise<string> {
    const program = await builtProgram();
    const env = {
      PATH: process.env['PATH'],
      HOME: stage.dir,
      COUNTERSIGN_URL: stage.url,
      COUNTERSIGN_TOKEN: '',
      AGENT_SESSION_NAME: session,
      WORKFLOW_STATE_ID: stateId,
    };
    const script = `countersign() { '${process.execPath}' '${program}' "$@"; }\n${line}`;
    return new Promise((resolve, reject) => {
      execFile('/bin/sh', ['-c', script], { env, cwd: stage.dir }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${line}: ${stdout} ${stderr}`));
      });
    });
  }

  const cases = Object.keys(stories).flatMap((name) =>
    ([1, 2, 3] as const).map((level) => [name, level] as const),
  );
  it.each(cases)('%s, level %i', async (name, level) => {
    const { schema, initial = {}, completion = {}, at } = stories[name] ?? { schema: {}, at: '' };
    const of = `${name.replaceAll(/[^a-z]+/g, '-')}-${String(level)}`;
    const [parent, child] = [`parent-${of}`, `child-${of}`] as const;
    must(await stage.operator.schemas.register({ name: parent, json_schema: schema }));
    must(await stage.operator.sessions.create({ session_name: parent, external: true }));
    const state = await stage.as(parent).states.create({ schema_name: parent, initial_data: initial });
    const { state_id } = must(state);
    must(await stage.as(parent).sessions.create({ session_name: child, external: true, completion }));
    let prompt = '';
    for (let stops = 0; stops < level; stops += 1) {
      const listed = must(await stage.as(child).sessions.report(child, { type: 'session_stop' }));
      prompt = listed.request?.prompt ?? '';
    }
    expect(prompt).toContain(`attempt="${String(level)}"`);
    expect(prompt).toContain('is an example of the form');
    const call = level === 2 ? /curl -sS [^\n]*/ : /countersign state patch '[^\n]*/;
    const answer = await shell(call.exec(prompt)?.[0] ?? 'false', child, state_id);
    if (level === 2) expect(JSON.parse(answer)).toMatchObject({ version: 2 });
    const after = must(await stage.operator.states.get(state_id));
    expect(after.version).toBe(2);
    const found = at
      .split('/')
      .slice(1)
      .reduce<unknown>((value, key) => (value as JsonObject)[key], after.current_data);
    expect(found).toBeDefined();
    const end = must(await stage.operator.sessions.completion(child));
    expect(end).toMatchObject({ state_update_status: 'completed' });
  });
});
