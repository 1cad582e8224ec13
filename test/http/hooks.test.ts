import { describe, expect, it } from 'vitest';
import type { HttpApp } from '../../src/http/app.js';
import { ok, fakeApp, json, fail } from './fake-host.js';

const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const TOOL = { hook_event_name: 'PreToolUse', session_id: 'c-1', tool_name: 'Write' };
const end = { verdict: 'end', text: null };

const GATE = '/hooks/claude-code?event=pre-tool-use';
const ask = (app: HttpApp, path: string, body: string, headers: Record<string, string> = {}) =>
  Promise.resolve(
    app.request(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }),
  );

async function post(path: string, body: unknown, answer: (...args: any[]) => unknown = () => ok(end)) {
  const { host, app } = fakeApp({ 'hooks.answer': answer });
  const response = await app.request(path, json('POST', body));
  return { status: response.status, body: (await response.json()) as any, asked: host.asked };
}

describe('POST /hooks/{client}', () => {
  it('asks what the hook comes to, and answers in the client’s form', async () => {
    const query = 'session=kid&wait=5s&refusals_max=3&agents=a,%20b&url=https://x.example';
    const answer = () => ok({ verdict: 'go_on', text: 'write' });
    const { status, body, asked } = await post(`/hooks/gemini?${query}`, STOP, answer);
    expect([status, body]).toEqual([200, { decision: 'deny', reason: 'write' }]);
    expect(asked).toEqual([
      {
        verb: 'hooks.answer',
        args: [
          'gemini',
          STOP,
          {
            session: 'kid',
            refusalsMax: 3,
            waitMs: 5000,
            agents: ['a', 'b'],
            url: 'https://x.example',
            signal: expect.any(AbortSignal),
          },
        ],
      },
    ]);
  });

  it('gives the verdict as such where that is asked for', async () => {
    const verdict = { verdict: 'waiting', text: null };
    const { body, asked } = await post('/hooks/codex?form=verdict&wait=1s', STOP, () => ok(verdict));
    expect(body).toEqual(verdict);
    expect(asked).toHaveLength(1);
  });

  it('takes a wait without callbacks for the end, for a client that asks once', async () => {
    const answer = (_client: string, _input: object, { waitMs }: { waitMs: number }) =>
      ok(waitMs > 0 ? { verdict: 'waiting', text: null } : { verdict: 'end', text: 'over' });
    const { body, asked } = await post('/hooks/codex?wait=1s', STOP, answer);
    expect(body).toEqual({ systemMessage: 'over' });
    expect(asked).toHaveLength(2);
  });

  it('shows no environment to a client, for it would show a token to its model', async () => {
    const begin = { verdict: 'begin', text: 'who', environment: { COUNTERSIGN_TOKEN: 'secret' } };
    const start = { ...STOP, hook_event_name: 'SessionStart' };
    const { body } = await post('/hooks/codex', start, () => ok(begin));
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('closes the gate where it cannot be answered, with a status that clients do not take for leave', async () => {
    const no = () => fail('invalid_request', 'what is that?');
    const { status, body } = await post('/hooks/claude-code', TOOL, no);
    expect(status).toBe(200);
    expect(body.hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('what is that?'),
    });
    const verdict = await post('/hooks/claude-code?form=verdict', TOOL, no);
    expect(verdict.status).toBe(422);
  });

  it.each<[string, (app: HttpApp) => Promise<Response>]>([
    ['too large', (app) => ask(app, GATE, 'x'.repeat(5 * 1024 * 1024))],
    ['too deep', (app) => ask(app, GATE, '['.repeat(100) + ']'.repeat(100))],
    ['no JSON', (app) => ask(app, GATE, '{')],
    ['of a forbidden member', (app) => ask(app, GATE, '{"__proto__": {}, "hook_event_name": 1}')],
    ['no object', (app) => ask(app, GATE, '[]')],
    ['of another event', (app) => ask(app, GATE, JSON.stringify(STOP))],
    ['of another type', (app) => ask(app, GATE, JSON.stringify(TOOL), { 'content-type': 'text/plain' })],
    ['of another site', (app) => ask(app, GATE, JSON.stringify(TOOL), { origin: 'https://evil.example' })],
    ['of another host', (app) => ask(app, GATE, JSON.stringify(TOOL), { host: 'evil.example' })],
    ['of a wrong parameter', (app) => ask(app, `${GATE}&bogus=1`, JSON.stringify(TOOL))],
    ['of an event that is none', (app) => ask(app, '/hooks/claude-code?event=PreToolUse', '{}')],
    ['for a client that is none', (app) => ask(app, '/hooks/claude?event=pre-tool-use', '{}')],
    ['for a path that is none', (app) => ask(app, '/hooks/claude-code/?event=pre-tool-use', '{}')],
    ['for no client', (app) => ask(app, '/hooks?event=pre-tool-use', '{}')],
  ])('closes the gate where the question is %s', async (_, send) => {
    const { host, app } = fakeApp({ 'hooks.answer': () => ok(end) });
    const response = await send(app);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^Countersign denies this tool: \w/),
      },
    });
    expect(host.asked).toEqual([]);
  });

  it('closes the gate to strangers, and where the service fails, in the form of each client', async () => {
    const { app, host } = fakeApp({
      'hooks.answer': () => {
        throw new Error('a bug');
      },
    });
    const failed = await ask(
      app,
      '/hooks/gemini?event=pre-tool-use',
      JSON.stringify({ ...TOOL, hook_event_name: 'BeforeTool' }),
    );
    expect([failed.status, await failed.json()]).toEqual([
      200,
      { decision: 'deny', reason: expect.stringContaining('denies this tool') },
    ]);
    host.identity = fail('unauthorized', 'who are you?');
    const stranger = await ask(app, GATE, JSON.stringify(TOOL));
    expect(stranger.status).toBe(200);
    expect(JSON.stringify(await stranger.json())).toContain('who are you?');
    host.identity = ok({ kind: 'operator', tokenName: null });
    const verdict = await ask(app, `${GATE}&form=verdict`, '{');
    expect(verdict.status).toBe(400);
    const other = await ask(app, '/hooks/claude-code?event=stop', JSON.stringify(TOOL));
    expect(other.status).toBe(422);
  });

  it.each([
    ['/hooks/vim', STOP, 422],
    ['/hooks/codex', [], 422],
    ['/hooks/codex', '"Stop"', 422],
    ['/hooks/codex?wait=soon', STOP, 422],
    ['/hooks/codex?bogus=1', STOP, 422],
    ['/hooks/codex?url=javascript:x', STOP, 422],
    ['/hooks/codex?refusals_max=-1', STOP, 422],
  ])('%s with %j is %d, and nothing is asked', async (path, body, status) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toBe('invalid_request');
    expect(answer.asked).toEqual([]);
  });

  it('passes on a refusal of any other hook', async () => {
    const { status, body } = await post('/hooks/codex', STOP, () => fail('session_not_found', 'who?'));
    expect([status, body.error]).toEqual([404, 'session_not_found']);
  });
});
