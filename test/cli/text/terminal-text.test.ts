import { afterEach, describe, expect, it } from 'vitest';
import { startHttpDouble, type HttpDouble } from '../../client/http-double.js';
import { harmless, harmlessJson, jsonText } from '../../../src/cli/index.js';
import { callback, page, run, session, state } from '../answers.js';
import { cli } from '../io-double.js';

/** One of each kind: C0, DEL, C1 (which some terminals obey), directions, line ends of Unicode, what cannot be seen. */
const STEERS = [
  ...['\u001b[2J', '\u0007', '\u007f', '\u009b31m', '\u0085', '\u202e', '\u2066', '\u200f', '\u061c'],
  ...['\u2028', '\u2029', '\u200b', '\ufeff', '\u{e0041}'],
];
const HOSTILE = `a${STEERS.join('-')}z`;
const RAW =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

describe('text of agents', () => {
  it.each(STEERS)('%j is shown by its number', (text) => {
    expect(RAW.test(text)).toBe(true);
    expect(harmless(`a${text}b`)).toMatch(/^a\\u[0-9a-f]{4}/);
    expect(RAW.test(harmless(text))).toBe(false);
    expect(RAW.test(jsonText({ [text]: text }))).toBe(false);
    expect(JSON.parse(jsonText({ [text]: text }))).toEqual({ [text]: text });
    expect(JSON.parse(harmlessJson(JSON.stringify(text)))).toBe(text);
  });

  it.each([
    'line\nline\ttab',
    'na\u00efve \u4f60\u597d \u0645\u0631\u062d\u0628\u0627',
    '\ud83d\udc69\u200d\ud83d\udcbb',
  ])('%j stays', (text) => {
    expect(harmless(text)).toBe(text);
    expect(JSON.parse(jsonText(text))).toBe(text);
  });

  const problem = {
    status: 404,
    headers: { 'content-type': 'application/problem+json' },
    body: { error: 'session_not_found', title: 't', status: 404, detail: HOSTILE, retryable: false },
  };
  const result = { session_id: 's', status: 'finished', result_text: HOSTILE, result_data: { [HOSTILE]: 1 } };
  const doc = { ...state, current_data: { [HOSTILE]: HOSTILE } };
  const event = { version: 2, patch: [{ op: 'add', path: '/a', value: HOSTILE }] };

  it.each<[string[], unknown]>([
    [['session', 'result', 's'], result],
    [['session', 'show', 's'], { ...session, agent_name: HOSTILE }],
    [['session', 'list'], page([{ ...session, agent_name: HOSTILE }])],
    [['run', 'show', 'r'], { ...run, prompt: HOSTILE, error: HOSTILE }],
    [['callback', 'list'], page([{ ...callback, message: HOSTILE, reason: HOSTILE }])],
    [['state', 'get', 'wst'], doc],
    [['state', 'get', 'wst', '--data-only'], doc],
    [['state', 'log', 'wst'], { events: [event], next_since: null }],
    [['session', 'show', 'none'], problem],
  ])('%j leaves none of it raw on a terminal, nor as JSON', async (argv, body) => {
    const double = await startHttpDouble(() => (body === problem ? problem : { status: 200, body }));
    doubles.push(double);
    const env = { COUNTERSIGN_URL: double.url, NO_COLOR: '1' };
    for (const more of [[], ['--json']]) {
      const ran = await cli([...argv, ...more], { isTTY: true, env });
      expect(ran.out + ran.err).not.toBe('');
      expect(RAW.exec(ran.out + ran.err)).toBeNull();
    }
    const piped = await cli([...argv, '--json'], { env: { COUNTERSIGN_URL: double.url } });
    expect(RAW.exec(piped.out + piped.err)).toBeNull();
    if (piped.code === 0 && !argv.includes('--data-only')) expect(JSON.parse(piped.out)).toEqual(body);
  });

  it('goes into a pipe as it is, where it is text', async () => {
    const double = await startHttpDouble(() => ({ status: 200, body: result }));
    doubles.push(double);
    const piped = await cli(['session', 'result', 's'], { env: { COUNTERSIGN_URL: double.url } });
    expect(piped.out).toBe(`${HOSTILE}\n`);
  });
});
