import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/domain/access/actor.js';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

describe('with --auth', () => {
  let harness: Harness;
  let sessionToken: string;
  beforeAll(async () => {
    harness = await openHarness({}, true);
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    for (const name of ['mine', 'other']) {
      const run = must(
        await operator.runs.create({ type: 'start_session', session_name: name, prompt: 'go' }),
      );
      must(
        await operator.states.create({
          schema_name: 'any',
          initial_data: {},
          root_session_id: run.session_id,
        }),
      );
    }
    const runner = await PlayedRunner.register(harness);
    const claimed = await runner.claim();
    sessionToken = claimed.find((run) => run.session_name === 'mine')!.environment['COUNTERSIGN_TOKEN']!;
  });
  afterAll(() => harness.close());

  const identify = (bearer: string | null, sessionName: string | null = null) =>
    harness.service.identify({ bearer, sessionId: null, sessionName });

  it('knows nobody by headers alone', async () => {
    expect(failure(await identify(null)).error).toBe('unauthorized');
    expect(failure(await identify(null, 'mine')).error).toBe('unauthorized');
    expect(failure(await identify('cs_admin_forged')).error).toBe('unauthorized');
    expect(failure(await identify('a.b.c')).error).toBe('unauthorized');
  });

  it('knows a session by the token of its run, which reaches its own tree only', async () => {
    const actor = must(await identify(sessionToken, 'other'));
    const mine = harness.service.as(actor);
    const own = must(await mine.sessions.state('mine'));
    must(await mine.states.patch(own.state_id, [{ op: 'add', path: '/a', value: 1 }], {}));
    const [event] = must(await mine.states.events(own.state_id, { since: 1 })).events;
    expect(event!.run_id).toMatch(/^run_/);
    expect(failure(await mine.sessions.state('other')).error).toBe('session_not_found');
    expect(must(await mine.sessions.list({})).items.map((one) => one.session_name)).toEqual(['mine']);
    expect(must(await mine.runs.list({})).items.map((one) => one.session_name)).toEqual(['mine']);
    expect(must(await mine.states.list({})).items).toHaveLength(1);
  });

  it('forgets a session token when its time is over', async () => {
    harness.clock.advance(25 * 60 * 60_000);
    expect(failure(await identify(sessionToken)).error).toBe('unauthorized');
  });

  const roles: [string, Actor, readonly string[]][] = [
    ['the operator', { kind: 'operator', tokenName: 'root' }, ['read', 'orchestrate', 'run', 'operate']],
    [
      'an orchestrator',
      { kind: 'token', role: 'orchestrator', tokenName: 'o' },
      ['read', 'orchestrate', 'operate'],
    ],
    ['a runner', { kind: 'token', role: 'runner', tokenName: 'r' }, ['read', 'run']],
    ['a reader', { kind: 'token', role: 'reader', tokenName: 'ci' }, ['read']],
  ];
  const probes: Record<string, (service: Countersign) => Promise<{ ok: boolean }>> = {
    read: (service) => service.states.list({}),
    orchestrate: (service) => service.sessions.create({}),
    run: (service) => service.runners.register({ hostname: 'h', executor_types: ['command'] }),
    operate: (service) => service.operations.doctor(),
  };

  it.each(roles)('%s may do what the role says, and nothing else', async (_name, actor, rights) => {
    const service = harness.service.as(actor);
    for (const [right, probe] of Object.entries(probes)) {
      expect([right, (await probe(service)).ok]).toEqual([right, rights.includes(right)]);
    }
  });
});

describe('on an open loopback', () => {
  it('a header without a token is nobody, and never the operator', async () => {
    const harness = await openHarness();
    must(await harness.operator.sessions.create({ session_name: 'mine', external: true }));
    const identify = (bearer: string, sessionName: string | null = null) =>
      harness.service.identify({ bearer, sessionId: null, sessionName });
    expect(failure(await identify(''))).toMatchObject({
      error: 'unauthorized',
      detail: expect.stringContaining('was a variable not set?'),
    });
    expect(failure(await identify('a b')).error).toBe('unauthorized');
    expect(must(await identify('', 'mine')).kind).toBe('session');
    await harness.close();
  });
});
