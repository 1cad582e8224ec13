import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../../src/domain/errors.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

describe('who asks to be called back', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    must(await root.runs.create({ type: 'start_session', session_name: 'child', prompt: 'go' }));
    const child = await harness.as('child');
    must(await child.runs.create({ type: 'start_session', session_name: 'grandchild', prompt: 'go' }));
  });
  afterAll(() => harness.close());

  const unchanged = async (work: () => Promise<Result<unknown>>) => {
    const before = harness.dump();
    const { error, members } = failure(await work());
    expect(harness.dump()).toBe(before);
    const errors = members['errors'] as { pointer: string; message: string; expected: string }[];
    return { error, ...errors[0] };
  };
  const headers = (sessionId: string | null, sessionName: string | null) =>
    harness.service.identify({ bearer: null, sessionId, sessionName });

  it('is the parent that the child records, with or without a callback', async () => {
    for (const [name, parent, depth] of [
      ['child', 'root', 1],
      ['grandchild', 'child', 2],
    ] as const) {
      expect(must(await harness.operator.sessions.get(name))).toMatchObject({
        parent_session_name: parent,
        root_session_id: must(await harness.operator.sessions.get('root')).session_id,
        depth,
        callback: false,
      });
    }
  });

  it('is told how to say who that is, where nobody is known', async () => {
    const ways = expect.stringMatching(/parent_session_id.*token of its run.*X-Agent-Session-Name/) as string;
    const expected = { error: 'invalid_request', pointer: '/callback', expected: ways };
    const { runs, sessions } = harness.operator;
    expect(
      await unchanged(() => runs.create({ type: 'start_session', prompt: 'x', callback: true })),
    ).toMatchObject(expected);
    expect(await unchanged(() => sessions.create({ callback: true, external: true }))).toMatchObject(
      expected,
    );
  });

  it('is told that a role token is nobody to call back', async () => {
    const service = harness.service.as({ kind: 'token', role: 'orchestrator', tokenName: 'ci' });
    expect(
      await unchanged(() => service.runs.create({ type: 'start_session', prompt: 'x', callback: true })),
    ).toMatchObject({ pointer: '/callback' });
  });

  it('is named once, or twice alike', async () => {
    const { runs, sessions } = harness.operator;
    const { session_id: rootId } = must(await sessions.get('root'));
    const contradictory = { parent_session_id: rootId, parent_session_name: 'child' };
    const missing = { parent_session_id: rootId, parent_session_name: 'nobody' };
    for (const parents of [contradictory, missing]) {
      const expected = { error: 'invalid_request', pointer: '/parent_session_name' };
      expect(await unchanged(() => sessions.create({ external: true, ...parents }))).toMatchObject(expected);
      const start = { type: 'start_session', prompt: 'x', ...parents } as const;
      expect(await unchanged(() => runs.create(start))).toMatchObject(expected);
    }
    const alike = { parent_session_id: rootId, parent_session_name: 'root' };
    expect(must(await sessions.create({ external: true, ...alike }))).toMatchObject(alike);
  });

  it('is the session that is meant, where work names one twice', async () => {
    const { runs, sessions } = harness.operator;
    const { session_id: childId } = must(await sessions.get('child'));
    const { session_id: waiting } = must(await sessions.create({ session_name: 'waiting' }));
    for (const [type, session_id] of [
      ['resume_session', childId],
      ['start_session', waiting],
    ] as const) {
      const work = { type, prompt: 'x', session_id, session_name: 'root' };
      expect(await unchanged(() => runs.create(work))).toMatchObject({
        error: 'invalid_request',
        pointer: '/session_name',
      });
    }
    const started = {
      type: 'start_session',
      prompt: 'x',
      session_id: waiting,
      session_name: 'waiting',
    } as const;
    expect(must(await runs.create(started)).session_id).toBe(waiting);
  });

  it('of a session that is there is its parent, and nobody else', async () => {
    const root = await harness.as('root');
    const body = { type: 'resume_session', session_name: 'grandchild', prompt: 'more' } as const;
    expect(await unchanged(() => root.runs.create({ ...body, callback: true }))).toEqual({
      error: 'invalid_request',
      pointer: '/callback',
      keyword: 'request',
      message: 'the callback of grandchild goes to its parent child, which is not the caller',
      expected: 'no callback, or a resume by that parent',
    });
    must(await root.runs.create(body));
    const child = await harness.as('child');
    must(await child.runs.create({ ...body, callback: true }));
  });

  it('is no root: nobody is above it', async () => {
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'other', prompt: 'go' }));
    expect(
      await unchanged(() =>
        harness.operator.runs.create({
          type: 'resume_session',
          session_name: 'other',
          prompt: 'more',
          callback: true,
        }),
      ),
    ).toMatchObject({ pointer: '/callback', message: expect.stringContaining('root') as string });
  });

  it('is not known by a session that was deleted meanwhile', async () => {
    const { operator } = harness;
    must(await operator.runs.create({ type: 'start_session', session_name: 'gone', prompt: 'go' }));
    const runner = await PlayedRunner.register(harness);
    const run = await runner.take('gone');
    await runner.start(run);
    const bearer = run.environment['COUNTERSIGN_TOKEN'] ?? '';
    await runner.complete(run, 'done');
    must(await operator.sessions.remove('gone'));
    const before = harness.dump();
    const actor = await harness.service.identify({ bearer, sessionId: null, sessionName: null });
    const started = actor.ok
      ? await harness.service
          .as(actor.value)
          .runs.create({ type: 'start_session', prompt: 'x', callback: true })
      : actor;
    expect(['unauthorized', 'session_not_found']).toContain(failure(started).error);
    expect(harness.dump()).toBe(before);
  });

  it.each([
    ['nothing', '', null, '/headers/x-agent-session-id'],
    ['a variable that nobody filled in', null, '${AGENT_SESSION_NAME}', '/headers/x-agent-session-name'],
    ['blanks', null, ' ', '/headers/x-agent-session-name'],
  ])('is not guessed where a header has %s', async (_, sessionId, sessionName, pointer) => {
    expect(await unchanged(async () => headers(sessionId, sessionName))).toMatchObject({
      error: 'invalid_request',
      pointer,
      message: expect.stringContaining('was a variable not set?') as string,
    });
  });

  it('is not guessed where the headers name two sessions', async () => {
    const { session_id } = must(await harness.operator.sessions.get('child'));
    expect(must(await headers(session_id, 'child'))).toMatchObject({ sessionId: session_id });
    expect(await unchanged(async () => headers(session_id, 'root'))).toMatchObject({
      pointer: '/headers/x-agent-session-name',
      message: 'names root, and the session that x-agent-session-id names is called child',
    });
  });
});
