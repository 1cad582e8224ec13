import { describe, expect, it } from 'vitest';
import { accepted, doorway, json, refused } from './fake-host.js';

const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const TOOL = { hook_event_name: 'PreToolUse', session_id: 'c-1', tool_name: 'Write' };
const end = { verdict: 'end', text: null };

async function post(path: string, body: unknown, answer: (...args: any[]) => unknown = () => accepted(end)) {
  const { host, app } = doorway({ 'hooks.answer': answer });
  const response = await app.request(path, json('POST', body));
  return { status: response.status, body: (await response.json()) as any, asked: host.asked };
}

describe('POST /hooks/{client}', () => {
  it('asks what the hook comes to, and answers in the client’s form', async () => {
    const query = 'session=kid&wait=5s&refusals_max=3&agents=a,%20b&url=https://x.example';
    const answer = () => accepted({ verdict: 'go_on', text: 'write' });
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
    const { body, asked } = await post('/hooks/codex?form=verdict&wait=1s', STOP, () => accepted(verdict));
    expect(body).toEqual(verdict);
    expect(asked).toHaveLength(1);
  });

  it('takes a wait without callbacks for the end, for a client that asks once', async () => {
    const answer = (_client: string, _input: object, { waitMs }: { waitMs: number }) =>
      accepted(waitMs > 0 ? { verdict: 'waiting', text: null } : { verdict: 'end', text: 'over' });
    const { body, asked } = await post('/hooks/codex?wait=1s', STOP, answer);
    expect(body).toEqual({ systemMessage: 'over' });
    expect(asked).toHaveLength(2);
  });

  it('shows no environment to a client, for it would show a token to its model', async () => {
    const begin = { verdict: 'begin', text: 'who', environment: { COUNTERSIGN_TOKEN: 'secret' } };
    const start = { ...STOP, hook_event_name: 'SessionStart' };
    const { body } = await post('/hooks/codex', start, () => accepted(begin));
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('closes the gate where it cannot be answered, with a status that clients do not take for leave', async () => {
    const no = () => refused('invalid_request', 'what is that?');
    const { status, body } = await post('/hooks/claude-code', TOOL, no);
    expect(status).toBe(200);
    expect(body.hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('what is that?'),
    });
    const verdict = await post('/hooks/claude-code?form=verdict', TOOL, no);
    expect(verdict.status).toBe(422);
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
    const { status, body } = await post('/hooks/codex', STOP, () => refused('session_not_found', 'who?'));
    expect([status, body.error]).toEqual([404, 'session_not_found']);
  });
});
