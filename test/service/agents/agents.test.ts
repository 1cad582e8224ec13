import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSource } from '../../../src/ports/agent-files.js';
import { CompletionOptions, RunCreate } from '../../../src/ports/api/index.js';
import { BadCursorError } from '../../../src/ports/storage/reader.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const schema = JSON.parse(
  readFileSync(new URL('../../../schemas/agent-blueprint.json', import.meta.url), 'utf8'),
) as AgentSource['schema'];

const reviewer = {
  $schema: '../schemas/agent-blueprint.json',
  description: 'Reviews one change.',
  executor: 'claude-code',
  model: 'large',
  system_prompt: 'You review.',
  args: ['--verbose'],
  mcp_servers: {
    web: { type: 'http', url: 'https://web.example/mcp', headers: { key: '${env:KEY}' } },
    files: { type: 'stdio', command: 'files', args: ['${PROJECT_DIR}'], env: { A: 'b' } },
  },
  environment: ['KEY'],
  project_dir: '/srv/review',
  timeout_ms: 60_000,
  delivery: 'pull',
  demands: { hostname: 'big', tags: ['gpu'] },
  completion: {
    mode: 'unless_satisfied',
    contract: { pointer: '/review', schema: { type: 'object' } },
    write_scope: ['/review'],
    max_attempts: 5,
    timeout_ms: 1000,
    retry_delay_ms: 7,
  },
};

describe('named agents', () => {
  const files = new Map<string, string>();
  let harness: Harness;
  const source: AgentSource = {
    schema,
    files: {
      names: () => Promise.resolve([...files.keys()].sort()),
      read: (name) => {
        const text = files.get(name) ?? null;
        if (text === 'unreadable') return Promise.reject(new Error('cannot be read (EACCES)'));
        return Promise.resolve(text);
      },
    },
  };
  const put = (name: string, value: unknown) => files.set(name, JSON.stringify(value));

  beforeAll(async () => {
    harness = await openHarness({}, false, {}, source);
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    // The contract of an agent binds its children, and has to be possible.
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(
      await harness.operator.states.create({
        schema_name: 'any',
        initial_data: {},
        root_session_name: 'root',
      }),
    );
  });
  beforeEach(() => {
    files.clear();
    put('reviewer', reviewer);
    put('plain', { executor: 'command' });
  });
  afterAll(() => harness.close());

  const settingsOf = async (session: string) => {
    const { mode, contract, write_scope, max_attempts } = must(
      await harness.operator.sessions.completion(session),
    );
    return { mode, contract, write_scope, max_attempts };
  };

  it('are listed in pages, without what may hold secrets', async () => {
    const page = must(await harness.operator.agents.list({ limit: 1 }));
    expect(page.items.map((one) => one.name)).toEqual(['plain']);
    const next = must(await harness.operator.agents.list({ limit: 1, cursor: page.next_cursor! }));
    expect(next.next_cursor).toBeNull();
    const cursorOf = (list: unknown) => Buffer.from(JSON.stringify(list)).toString('base64url');
    for (const cursor of ['', 'x', next.items[0]!.name, cursorOf(['sessions', 2]), cursorOf(['agents', 2])]) {
      await expect(harness.operator.agents.list({ cursor })).rejects.toThrow(BadCursorError);
    }
    expect(next.items).toEqual([
      {
        name: 'reviewer',
        status: 'ready',
        description: 'Reviews one change.',
        executor: 'claude-code',
        model: 'large',
        mcp_servers: ['web', 'files'],
        project_dir: '/srv/review',
        timeout_ms: 60_000,
        delivery: 'pull',
        demands: { hostname: 'big', tags: ['gpu'] },
        completion: reviewer.completion,
        errors: [],
      },
    ]);
    expect(must(await harness.operator.agents.get('reviewer')).system_prompt).toBe('You review.');
  });

  it('give the defaults of a start', async () => {
    const run = must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'by-default',
        parent_session_name: 'root',
        agent_name: 'reviewer',
        prompt: 'go',
      }),
    );
    expect(must(await harness.operator.sessions.get('by-default'))).toMatchObject({
      agent_name: 'reviewer',
      project_dir: '/srv/review',
      delivery: 'pull',
    });
    expect(await settingsOf('by-default')).toMatchObject({
      mode: 'unless_satisfied',
      contract: reviewer.completion.contract,
      write_scope: ['/review'],
      max_attempts: 5,
    });
    const runner = must(
      await harness.operator.runners.register({
        hostname: 'big',
        executor_types: ['claude-code'],
        tags: ['gpu'],
      }),
    );
    const work = must(await harness.operator.runners.poll({ runnerId: runner.runner_id, waitMs: 0 }));
    expect(work.runs).toMatchObject([
      {
        run_id: run.run_id,
        executor_type: 'claude-code',
        timeout_ms: 60_000,
        agent: {
          name: 'reviewer',
          fault: null,
          command: null,
          args: ['--verbose'],
          model: 'large',
          system_prompt: 'You review.',
          mcp_servers: reviewer.mcp_servers,
          environment: ['KEY'],
        },
      },
    ]);
  });

  it('are overruled by what the start says itself, member by member', async () => {
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'by-hand',
        parent_session_name: 'root',
        agent_name: 'reviewer',
        prompt: 'go',
        project_dir: '/elsewhere',
        delivery: 'resume',
        timeout_ms: 500,
        demands: { executor_type: 'command', tags: [], hostname: 'played' },
        completion: { max_attempts: 1, write_scope: ['/a', '/review'] },
      }),
    );
    expect(must(await harness.operator.sessions.get('by-hand'))).toMatchObject({
      project_dir: '/elsewhere',
      delivery: 'resume',
    });
    expect(await settingsOf('by-hand')).toMatchObject({
      mode: 'unless_satisfied',
      contract: reviewer.completion.contract,
      write_scope: ['/a', '/review'],
      max_attempts: 1,
    });
    const runner = must(
      await harness.operator.runners.register({ hostname: 'played', executor_types: ['command'] }),
    );
    const work = must(await harness.operator.runners.poll({ runnerId: runner.runner_id, waitMs: 0 }));
    expect(work.runs).toMatchObject([{ session_name: 'by-hand', timeout_ms: 500, executor_type: 'command' }]);
  });

  it('are the same for a session that is made before it runs, and for its later work', async () => {
    must(
      await harness.operator.sessions.create({
        session_name: 'made',
        parent_session_name: 'root',
        agent_name: 'plain',
        completion: { mode: 'never' },
      }),
    );
    put('plain', { executor: 'command', timeout_ms: 4321 });
    must(
      await harness.operator.runs.create({ type: 'resume_session', session_name: 'made', prompt: 'more' }),
    );
    const runner = await PlayedRunner.register(harness);
    const run = await runner.take('made');
    expect(run).toMatchObject({ timeout_ms: 4321, executor_type: 'command', agent: { name: 'plain' } });
  });

  it('that are not there are refused with those that are', async () => {
    const before = harness.dump();
    for (const agent_name of ['nobody', '../reviewer', 'a/b', '']) {
      const said = failure(
        await harness.operator.runs.create({ type: 'start_session', agent_name, prompt: 'go' }),
      );
      expect(said).toMatchObject({ error: 'agent_not_found', members: { known: ['plain', 'reviewer'] } });
    }
    expect(failure(await harness.operator.sessions.create({ agent_name: 'nobody' })).error).toBe(
      'agent_not_found',
    );
    expect(failure(await harness.operator.agents.get('nobody')).error).toBe('agent_not_found');
    expect(harness.dump()).toBe(before);
  });

  it('are a label for a session that nobody runs', async () => {
    const made = await harness.operator.sessions.create({ agent_name: 'whoever', external: true });
    expect(must(made).agent_name).toBe('whoever');
  });

  it.each<[string, string | object, string, string]>([
    ['no JSON', '{"executor": ', '', 'is not JSON'],
    ['no object', '7', '', 'object'],
    ['what cannot be read', 'unreadable', '', 'cannot be read (EACCES)'],
    ['more than is allowed', `"${'x'.repeat(256 * 1024)}"`, '', 'at most 262144'],
    ['no executor', {}, '', '"executor" is missing'],
    ['an unknown member', { executor: 'x', prompt: 'y' }, '/prompt', 'is not allowed here'],
    ['a command for another executor', { executor: 'codex', command: 'x' }, '/executor', 'command'],
    ['arguments for a command line', { executor: 'command', args: ['x'] }, '/args', 'is allowed here'],
    [
      'a bound that is passed',
      { executor: 'x', completion: { max_attempts: 11 } },
      '/completion/max_attempts',
      '10',
    ],
    [
      'an MCP server without a URL',
      { executor: 'x', mcp_servers: { a: { type: 'http' } } },
      '/mcp_servers/a',
      '"url" is missing',
    ],
    [
      'an MCP server in the place of our own',
      { executor: 'x', mcp_servers: { countersign: { type: 'http', url: 'http://a' } } },
      '/mcp_servers',
      'countersign',
    ],
    [
      'an MCP server whose tools would look like our own',
      { executor: 'x', mcp_servers: { countersign_x: { type: 'http', url: 'http://a' } } },
      '/mcp_servers',
      'countersign',
    ],
    [
      'a contract that no start can have',
      { executor: 'x', completion: { contract: { pointer: '/a', schema: true } } },
      '/completion/contract/schema',
      'object',
    ],
    [
      'a placeholder that nothing stands for',
      { executor: 'x', mcp_servers: { a: { type: 'http', url: '${SECRET}' } } },
      '/mcp_servers/a/url',
      '${SECRET}',
    ],
  ])('with %s are told where, and leave the others alone', async (_, content, pointer, message) => {
    const before = harness.dump();
    files.set('odd', typeof content === 'string' ? content : JSON.stringify(content));
    const { items } = must(await harness.operator.agents.list({}));
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['odd', 'broken'],
      ['plain', 'ready'],
      ['reviewer', 'ready'],
    ]);
    const [found] = items[0]!.errors;
    expect(found!.pointer).toBe(pointer);
    expect(found!.message).toContain(message);
    const said = failure(
      await harness.operator.runs.create({ type: 'start_session', agent_name: 'odd', prompt: 'go' }),
    );
    expect(said).toMatchObject({
      error: 'agent_broken',
      members: { agent: 'odd', errors: items[0]!.errors },
    });
    expect(harness.dump()).toBe(before);
  });

  it.each<[string, string | object, string]>([
    ['no JSON', '{"executor": ', ': it is not JSON'],
    ['no object', '7', ': it must be object'],
    ['no executor', {}, ': the member "executor" is missing.'],
    [
      'an MCP server without a URL',
      { executor: 'x', mcp_servers: { a: { type: 'http' } } },
      ': at /mcp_servers/a, the member "url" is missing.',
    ],
    [
      'too many attempts',
      { executor: 'x', completion: { max_attempts: 11 } },
      ': /completion/max_attempts must be',
    ],
  ])('with %s are refused in a whole sentence', async (_, content, why) => {
    files.set('odd', typeof content === 'string' ? content : JSON.stringify(content));
    const said = failure(
      await harness.operator.runs.create({ type: 'start_session', agent_name: 'odd', prompt: 'go' }),
    );
    expect(said.detail).toContain(`The file of the agent odd cannot be used${why}`);
  });

  it('that are gone when a run is handed out come as a fault', async () => {
    const started = { type: 'start_session', agent_name: 'plain', prompt: 'go' } as const;
    must(await harness.operator.runs.create({ ...started, session_name: 'left' }));
    files.delete('plain');
    const runner = await PlayedRunner.register(harness);
    const run = await runner.take('left');
    expect(run.agent).toMatchObject({ name: 'plain', fault: 'There is no agent plain.', mcp_servers: {} });
  });

  it('have the bounds of the wire', () => {
    const { completion, timeout_ms } = schema['properties'] as Record<string, { properties: object }>;
    for (const name of ['max_attempts', 'timeout_ms', 'retry_delay_ms', 'mode'] as const) {
      expect(completion!.properties).toMatchObject({ [name]: plain(CompletionOptions.properties[name]) });
    }
    expect(timeout_ms).toMatchObject(plain(RunCreate.properties.timeout_ms));
  });
});

describe('without named agents', () => {
  it('an agent is a label, and nobody is listed', async () => {
    const harness = await openHarness();
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 's',
        agent_name: 'x',
        prompt: 'go',
      }),
    );
    expect(must(await harness.operator.agents.list({}))).toEqual({ items: [], next_cursor: null });
    const runner = await PlayedRunner.register(harness);
    expect(await runner.take('s')).not.toHaveProperty('agent');
    await harness.close();
  });
});

/** The keywords of a schema, but for its type. */
function plain(value: object): Record<string, unknown> {
  const keywords = Object.entries(JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
  return Object.fromEntries(keywords.filter(([name]) => name !== 'type'));
}
