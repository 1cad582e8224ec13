// Commands that wait, while the service is away behind its gateway for some requests. The clock is the test's.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startHttpDouble, type HttpDouble, type Reply } from '../client/http-double.js';
import * as answers from './answers.js';
import { clockUntil } from './clock-until.js';
import { cli } from './io-double.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
let double: HttpDouble | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await double?.close();
});

const AWAY: Reply = { status: 502, body: 'Bad gateway' };

/** More than a client sends of one request. */
const REQUESTS_LOST = 12;

/** Runs a command; the service is away from the first request whose URL is the given one. */
async function ran(argv: string[], from: RegExp, reply: (url: string) => object) {
  let lost = 0;
  double = await startHttpDouble(({ url }) => {
    if ((lost > 0 || from.test(url)) && lost < REQUESTS_LOST) {
      lost += 1;
      return AWAY;
    }
    return { status: 200, body: reply(url) };
  });
  const running = cli(argv, { env: { COUNTERSIGN_URL: double.url, AGENT_SESSION_NAME: 'child' } });
  await clockUntil(running);
  return running;
}

it('state wait finds the state of its session', async () => {
  const argv = ['state', 'wait', '--until', '/status=done', '--timeout', '2m'];
  const done = await ran(argv, /sessions/, (url) =>
    url.includes('/sessions/')
      ? { ...answers.session, workflow_state_id: 'sta_1' }
      : { ...answers.state, matched: true },
  );
  expect(done).toMatchObject({ code: 0, out: 'sta_1  version 7 matches\n' });
});

it('state wait says what it came to where nobody can say who stands in the way', async () => {
  const argv = ['state', 'wait', 'sta_1', '--until', 'verdicts-clear', '--timeout', '0s'];
  const done = await ran(argv, /workflow$/, () => ({ ...answers.state, matched: false }));
  expect(done).toMatchObject({ code: 8, out: 'sta_1  version 7 does not match yet\n' });
});

const RESULT = { session_id: 'ses_2', status: 'finished', result_text: 'Fine.', result_data: null };

it('session start --wait waits for the end of the work', async () => {
  const session = { ...answers.session, status: 'finished', state_update_status: 'completed' };
  const argv = ['session', 'start', '--prompt', 'Go.', '--wait'];
  const done = await ran(argv, /sessions/, (url) =>
    url.endsWith('/result') ? RESULT : url.includes('/sessions/') ? session : answers.run,
  );
  expect(done).toMatchObject({ code: 0, out: 'Fine.\n' });
});

it('callback pull --wait waits for a callback', async () => {
  const argv = ['callback', 'pull', 'orchestrator', '--wait', '2m', '--json'];
  const pulled = answers.page(answers.callback);
  const done = await ran(argv, /callbacks/, () => pulled);
  expect(done).toMatchObject({ code: 0, out: `${JSON.stringify(pulled)}\n` });
});

it('session start --wait-timeout ends soon after its time where the service hangs', async () => {
  const http = await startHttpDouble(({ method }) =>
    method === 'POST' ? { status: 200, body: answers.run } : null,
  );
  double = http;
  const argv = ['session', 'start', '--prompt', 'Go.', '--wait-timeout', '2s'];
  const running = cli(argv, { env: { COUNTERSIGN_URL: http.url } });
  expect(await clockUntil(running)).toBeLessThan(10_000);
  expect(await running).toMatchObject({ code: 3, err: expect.stringContaining('did not answer in time') });
});
