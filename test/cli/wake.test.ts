import { afterEach, expect, it } from 'vitest';
import { problem, startHttpDouble, type Asked, type HttpDouble, type Reply } from '../client/http-double.js';
import { cli } from './io-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const GO_ON: Reply = { status: 200, body: { verdict: 'go_on', text: 'what the child found' } };
const END: Reply = { status: 200, body: { verdict: 'end', text: null } };

/** Runs a hook on a stop, against a service that gives these answers; the last one for ever. */
async function ran(name: string, answers: readonly (Reply | null)[], ...args: string[]) {
  const left = [...answers];
  const double = await startHttpDouble(() => (left.length > 1 ? (left.shift() ?? null) : (left[0] ?? null)));
  doubles.push(double);
  const argv = ['hook', name, '--client', 'claude-code', ...args];
  const env = { COUNTERSIGN_URL: double.url };
  return { ...(await cli(argv, { stdin: JSON.stringify(STOP), env })), asked: double.asked.map(queryOf) };
}

function queryOf({ url }: Asked): Record<string, string> {
  return Object.fromEntries(new URL(url, 'http://service').searchParams);
}

it('wake prints what wakes the session, and tells the service that it was heard', async () => {
  const { code, err, asked } = await ran('wake', [GO_ON, END], '--wait', '1s');
  expect({ code, err }).toEqual({ code: 2, err: 'what the child found\n' });
  const [first, second] = asked;
  expect(first).not.toHaveProperty('heard');
  expect(second).toMatchObject({ wake: 'true', heard: 'true', invocation: first?.['invocation'] });
  expect(second).not.toHaveProperty('wait');
});

it('wake leaves what waits already to the stop hook that starts with it', async () => {
  const double = await startHttpDouble(() => END);
  doubles.push(double);
  const given = { stdin: JSON.stringify(STOP), env: { COUNTERSIGN_URL: double.url } };
  await Promise.all(['wake', 'stop'].map((name) => cli(['hook', name, '--client', 'claude-code'], given)));
  expect(double.asked.map((asked) => queryOf(asked)['wake'] ?? 'stop')).toEqual(['stop', 'true']);
});

it('wake wakes the session also where the service does not hear that it was heard', async () => {
  const { code } = await ran('wake', [GO_ON, problem(500, 'internal', 'boom')], '--wait', '1s');
  expect(code).toBe(2);
});

it('wake ends with 0 where nothing is expected any more, and waits on at an answer of something else', async () => {
  expect(await ran('wake', [END], '--wait', '1s')).toMatchObject({ code: 0, err: '' });
  const strange: Reply = { status: 200, body: { verdict: 'begin', text: 5 } };
  expect(await ran('wake', [strange], '--wait', '50ms')).toMatchObject({ code: 0, err: '' });
});

it.each<[string, unknown]>([
  ['another verdict', { verdict: 'go_on', text: 'go on' }],
  ['a text that is none', { verdict: 'end', text: { a: 1 } }],
  ['no verdict', { verdict: 7, text: null }],
])('awaited shows nothing at an answer with %s', async (_, body) => {
  expect(await ran('awaited', [{ status: 200, body }])).toMatchObject({
    code: 1,
    out: '',
    err: 'error: The answer of the service cannot be understood\n',
  });
});
