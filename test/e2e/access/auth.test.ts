import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Part } from '../../support/agents.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';
import { parts } from '../parts.js';

/** Tries what its token is good for: its own tree, and another one. */
const curious: Part = async (agent) => {
  const foreign = agent.prompt;
  const own = await agent.must('POST', '/workflow-states', { schema_name: 'any', initial_data: {} });
  const asks: [string, string, unknown?][] = [
    ['GET', `/workflow-states/${own.state_id}`],
    ['PUT', `/workflow-states/${own.state_id}`, { data: { mine: true } }],
    ['GET', `/workflow-states/${foreign}`],
    ['PUT', `/workflow-states/${foreign}`, { data: { mine: true } }],
    ['GET', '/sessions/other'],
    ['POST', '/sessions/other/stop'],
    ['GET', '/sessions/other/callbacks'],
    ['POST', '/runs', { type: 'resume_session', session_name: 'other', prompt: 'obey' }],
    ['POST', '/runner/register', { hostname: 'here', executor_types: ['command'] }],
  ];
  for (const [method, path, body] of asks) {
    const { status } = await agent.call(method, path, body);
    agent.note({
      asked: `${method} ${path.replace(own.state_id, 'own').replace(foreign, 'foreign')}`,
      status,
    });
  }
};

describe('a service with --auth', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    stage = await Stage.open({ serve: ['--auth', '--host', '0.0.0.0'], runner: null });
    stage.agents.cast({ ...parts, curious });
    const make = async (role: string) => {
      const made = await stage.command('token', 'create', '--name', role, '--role', role, '--json');
      tokens[role] = JSON.parse(made.stdout).token;
    };
    await Promise.all(['admin', 'orchestrator', 'runner', 'reader'].map(make));
    await stage.startRunner(['--token', tokens['runner']!]);
    must(await as('admin').schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(() => stage.close());

  const as = (role: string) => stage.client({ token: tokens[role] });
  const failureOf = async (call: Promise<{ ok: boolean }>) => {
    const result = await call;
    return 'failure' in result ? result.failure : null;
  };

  it('lets nobody in without a token, whatever the headers say', async () => {
    const schemas = `${stage.url}/workflow-schemas`;
    const named = { 'x-agent-session-name': 'root' };
    const forged = { authorization: 'Bearer cs_admin_0000' };
    for (const headers of [{}, named, forged]) {
      const answer = await fetch(schemas, { headers });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: 'unauthorized' });
    }
    expect((await fetch(`${stage.url}/healthz`)).status).toBe(200);
  });

  it('lets each role do what is its part, and no more', async () => {
    const forbidden = { error: 'forbidden' };
    must(await as('reader').states.list({}));
    const schema = { name: 'mine', json_schema: { type: 'object' } };
    expect(await failureOf(as('reader').schemas.register(schema))).toMatchObject(forbidden);
    expect(await failureOf(as('runner').schemas.register(schema))).toMatchObject(forbidden);
    must(await as('orchestrator').schemas.register(schema));
    const runner = { hostname: 'here', executor_types: ['command'] };
    expect(await failureOf(as('orchestrator').runners.register(runner))).toMatchObject(forbidden);
  });

  it('gives a run a token that reaches its own tree only', async () => {
    const admin = as('admin');
    must(await admin.sessions.create({ session_name: 'other', external: true }));
    const state = { schema_name: 'any', initial_data: {}, root_session_name: 'other' };
    const { state_id } = must(await admin.states.create(state));
    const started = await stage.command(
      ...['session', 'start', '--name', 'curious', '--agent', 'curious', '--prompt', state_id],
      ...['--wait', '--token', tokens['orchestrator']!],
    );
    expect(started.code).toBe(0);
    const answers = stage.agents.notes('curious').map(({ asked, status }) => [asked, status]);
    expect(answers).toEqual([
      ['GET /workflow-states/own', 200],
      ['PUT /workflow-states/own', 200],
      ['GET /workflow-states/foreign', 404],
      ['PUT /workflow-states/foreign', 404],
      ['GET /sessions/other', 404],
      ['POST /sessions/other/stop', 404],
      ['GET /sessions/other/callbacks', 404],
      ['POST /runs', 404],
      ['POST /runner/register', 403],
    ]);
    expect(must(await admin.states.get(state_id)).version).toBe(1);
  });

  it('shuts a token out as soon as it is revoked', async () => {
    expect((await stage.command('token', 'revoke', 'reader')).code).toBe(0);
    expect(await failureOf(as('reader').states.list({}))).toMatchObject({ error: 'unauthorized' });
  });
});
