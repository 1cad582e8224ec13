// What runners and parents are told of the state: the first prompt of a child, and the summary beside callbacks.
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { RunCreate, SessionCreate } from '../../../src/ports/api/index.js';
import { must, openHarness, PlayedRunner, type Harness } from '../harness.js';

const CONTRACT = {
  pointer: '/reviews/api',
  schema: { type: 'object', required: ['verdict'], properties: { verdict: { enum: ['pass', 'changes'] } } },
};

let harness: Harness;
afterEach(() => harness.close());

async function opened(...options: Parameters<typeof openHarness>) {
  harness = await openHarness(...options);
}

/** A root that pulls, with a state unless `data` is `null`. */
async function root(over: Partial<SessionCreate> = {}, data: JsonObject | null = { plan: 'a' }) {
  const { sessions, schemas, states } = harness.operator;
  must(await sessions.create({ session_name: 'root', external: true, ...over }));
  if (data === null) return '';
  must(await schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
  const state = { schema_name: 'plan', initial_data: data, root_session_name: 'root' };
  return must(await states.create(state)).state_id;
}

async function start(over: Partial<RunCreate> = {}) {
  const run = { type: 'start_session', session_name: 'kid', prompt: 'Review it.', ...over } as const;
  return must(await harness.operator.runs.create({ parent_session_name: 'root', ...run }));
}

describe('the first prompt of a child', () => {
  it('says what to record and how, with a call that is accepted as it stands', async () => {
    await opened();
    const state = await root();
    const runner = await PlayedRunner.register(harness);
    await start({ completion: { contract: CONTRACT, write_scope: ['/reviews/api'] } });
    const { prompt } = await runner.take('kid');
    expect(prompt.startsWith('Review it.\n\n<countersign-session session="kid" state="')).toBe(true);
    expect(prompt).toContain(state);
    expect(prompt).toContain('The value at /reviews/api has to satisfy');
    expect(prompt).toContain('only at or under: /reviews/api');
    expect(prompt).not.toContain('MCP');
    const call = /state patch '([^\n]*)'/.exec(prompt)?.[1] ?? '';
    const kid = await harness.as('kid');
    must(await kid.states.patch(state, JSON.parse(call), {}));
    expect(must(await kid.sessions.completion('kid')).contract_broken).toBeNull();
  });

  it('names the tools where the client has them, and both where nobody knows', async () => {
    await opened();
    await root();
    const runner = await PlayedRunner.register(harness, ['codex', 'command', 'else']);
    await start();
    await start({ session_name: 'shell', demands: { executor_type: 'command' } });
    await start({ session_name: 'else', demands: { executor_type: 'else' } });
    const prompts = new Map((await runner.claim()).map((run) => [run.session_name, run.prompt]));
    expect(prompts.get('kid')).toContain('the MCP tool state_patch');
    expect(prompts.get('kid')).not.toContain('countersign state patch');
    expect(prompts.get('shell')).not.toContain('the MCP tool');
    expect(prompts.get('shell')).toContain('countersign state patch');
    expect(prompts.get('else')).toContain('the MCP tool state_patch');
    expect(prompts.get('else')).toContain('countersign state patch');
  });

  it('is the same where the run is handed out again, and only in the first run; the record has what was asked', async () => {
    await opened({ leaseMs: 1000, environmentBackoffMs: 1 });
    await root();
    const runner = await PlayedRunner.register(harness);
    const { run_id } = await start();
    const [first] = await runner.claim();
    expect(first?.prompt).toContain('<countersign-session');
    await harness.pass(1500);
    await harness.pass(1500);
    const again = await runner.take('kid');
    expect(again).toMatchObject({ run_id, attempt: 2, prompt: first?.prompt });
    expect(must(await harness.operator.runs.get(run_id)).prompt).toBe('Review it.');
    const more = { type: 'resume_session', session_name: 'kid', prompt: 'Go on.' } as const;
    must(await harness.operator.runs.create(more));
    await runner.complete(again);
    expect((await runner.take('kid')).prompt).toBe('Go on.');
  });

  it.each<[string, Partial<SessionCreate>, JsonObject | null, Partial<RunCreate>]>([
    ['that turned it off', {}, { plan: 'a' }, { state_context: false }],
    ['whose tree has no state', {}, null, {}],
  ])('is as it was asked, of one %s', async (_, rootOptions, data, options) => {
    await opened();
    await root(rootOptions, data);
    const runner = await PlayedRunner.register(harness);
    await start(options);
    expect((await runner.take('kid')).prompt).toBe('Review it.');
    const shown = must(await harness.operator.sessions.get('kid'));
    expect(shown.state_context).toBe(options.state_context);
  });

  it('is as it was asked where the service turned it off', async () => {
    await opened({}, false, {}, undefined, undefined, null, { context: false, summary: true });
    await root();
    const runner = await PlayedRunner.register(harness);
    await start();
    expect((await runner.take('kid')).prompt).toBe('Review it.');
  });

  it('is as it was asked where the state is damaged, and of a root', async () => {
    await opened();
    await root();
    const runner = await PlayedRunner.register(harness);
    await start();
    const other = { type: 'start_session', session_name: 'other', prompt: 'Review it.' } as const;
    must(await harness.operator.runs.create(other));
    await harness.restart(undefined, () =>
      harness.tamper(`update state_snapshots set text = '{"plan":"b"}'`),
    );
    const prompts = (await runner.claim()).map(({ prompt }) => prompt);
    expect(prompts).toEqual(['Review it.', 'Review it.']);
  });
});

describe('the summary of the state', () => {
  const kid = (n: number) => `kid-${String(n)}`;

  /** Children of the root that are done, each with a member of its own in the state. */
  async function childrenDone(state: string) {
    for (let n = 1; n <= 3; n += 1) {
      const child = { session_name: kid(n), parent_session_name: 'root', external: true, callback: true };
      must(await harness.operator.sessions.create({ ...child, completion: { mode: 'never' } }));
      const as = await harness.as(kid(n));
      if (state !== '') must(await as.states.patch(state, [{ op: 'add', path: `/${kid(n)}`, value: n }], {}));
      must(await as.sessions.report(kid(n), { type: 'session_stop', result_text: 'done' }));
    }
  }

  it('comes once with the callbacks that a parent pulls, the last change first', async () => {
    await opened();
    const state = await root();
    await childrenDone(state);
    const pulled = must(await harness.operator.sessions.pullCallbacks('root', 0));
    expect(pulled.items).toHaveLength(3);
    const summary = pulled.state_summary ?? '';
    expect([...summary.matchAll(/"pointer":"([^"]*)","version":(\d+)/g)].map(([, at, v]) => [at, v])).toEqual(
      [
        ['/kid-3', '4'],
        ['/kid-2', '3'],
        ['/kid-1', '2'],
        ['/plan', '1'],
      ],
    );
    expect(summary).toContain('state_read');
    for (const { message } of pulled.items) expect(message).toContain('the MCP tool state_read');
  });

  it('comes with none where there are no callbacks', async () => {
    await opened();
    await root();
    expect(must(await harness.operator.sessions.pullCallbacks('root', 0))).not.toHaveProperty(
      'state_summary',
    );
  });

  it('is handed over by the stop hook', async () => {
    await opened();
    await childrenDone(await root());
    const body = { hook_event_name: 'Stop', session_id: 'abc', stop_hook_active: false };
    const leader = await harness.as('root');
    const answer = must(await leader.hooks.answer('claude-code', body, { session: 'root' }));
    const text = JSON.stringify(answer);
    expect(text.match(/The workflow state now/g)).toHaveLength(1);
  });

  it('comes once with the run that resumes a parent, however many callbacks it carries', async () => {
    await opened();
    const runner = await PlayedRunner.register(harness);
    const state = await root({ external: false });
    must(
      await harness.operator.runs.create({ type: 'resume_session', session_name: 'root', prompt: 'Lead.' }),
    );
    const leading = await runner.take('root');
    expect(leading.prompt).toBe('Lead.');
    await childrenDone(state);
    await runner.complete(leading, 'waiting');
    const { prompt } = await runner.take('root');
    expect(prompt.match(/<agent-callback/g)).toHaveLength(3);
    expect(prompt.match(/The workflow state now/g)).toHaveLength(1);
    expect(prompt).toContain('{"pointer":"/kid-3","version":4,"value":3}');
  });

  it.each<[string, Partial<SessionCreate>, JsonObject | null, boolean]>([
    ['its session turned it off', { state_summary: false }, { plan: 'a' }, true],
    ['the service turned it off', {}, { plan: 'a' }, false],
    ['there is no state', {}, null, true],
  ])('does not come where %s', async (_, options, data, summary) => {
    await opened({}, false, {}, undefined, undefined, null, { context: true, summary });
    const state = await root(options, data);
    await childrenDone(state);
    expect(must(await harness.operator.sessions.get('root')).state_summary).toBe(options.state_summary);
    const pulled = must(await harness.operator.sessions.pullCallbacks('root', 0));
    expect(pulled.items).toHaveLength(3);
    expect(pulled).not.toHaveProperty('state_summary');
  });

  it('does not come where the state is damaged: the callbacks do', async () => {
    await opened();
    const state = await root();
    await childrenDone(state);
    await harness.restart(undefined, () =>
      harness.tamper(`update state_snapshots set text = '{"plan":"b"}'`),
    );
    await expect(harness.operator.states.get(state)).rejects.toThrow('not as it was written');
    const pulled = must(await harness.operator.sessions.pullCallbacks('root', 0));
    expect(pulled.items).toHaveLength(3);
    expect(pulled).not.toHaveProperty('state_summary');
  });
});
