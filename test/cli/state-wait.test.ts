import { afterEach, describe, expect, it } from 'vitest';
import { conditionOf } from '../../src/cli/commands/states/state-condition.js';
import { problem, startHttpDouble, type HttpDouble, type Reply } from '../client/http-double.js';
import { state, workflow } from './answers.js';
import { cli } from './io-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

/** Answers one after the other, the last again and again. */
async function wait(argv: string[], ...answers: (Reply | null)[]) {
  let next = 0;
  const double = await startHttpDouble(() => answers[Math.min(next++, answers.length - 1)] ?? null);
  doubles.push(double);
  const ran = await cli(['state', 'wait', 'sta_1', ...argv], { env: { COUNTERSIGN_URL: double.url } });
  return { ...ran, asked: double.asked.map(({ url, body }) => [url, JSON.parse(body) as unknown]) };
}

async function double(argv: string[], reply: (url: string) => Reply) {
  const http = await startHttpDouble(({ url }) => reply(url));
  doubles.push(http);
  return cli(['state', 'wait', 'sta_1', ...argv], { env: { COUNTERSIGN_URL: http.url } });
}

const answer = (over: object): Reply => ({ status: 200, body: { ...state, matched: false, ...over } });
const DONE = ['--until', '/status=done'];

describe('state wait', () => {
  it('ends with 0 when the condition holds', async () => {
    const { code, out, asked } = await wait([...DONE, '--timeout', '10s'], answer({ matched: true }));
    expect(code).toBe(0);
    expect(out).toBe('sta_1  version 7 matches\n');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject([
      '/workflow-states/sta_1/wait',
      { until: { required: ['status'], properties: { status: { const: 'done' } } } },
    ]);
  });

  it('ends with 8 when the time is over, and with 9 when the opposite holds', async () => {
    expect(await wait([...DONE, '--timeout', '0s'], answer({}))).toMatchObject({ code: 8 });
    const failed = await wait([...DONE, '--fail-on', '/status=failed'], answer({ failed: true }));
    expect(failed).toMatchObject({ code: 9, out: 'sta_1  version 7 can no longer match\n' });
  });

  it('takes a condition on the workflow record by its word, and says who stands in the way', async () => {
    const blocked = await double(
      ['--until', 'verdicts-clear', '--fail-on', 'verdicts-blocked', '--timeout', '0s'],
      (url) => (url.includes('/wait') ? answer({ failed: true }) : { status: 200, body: workflow }),
    );
    expect(blocked.code).toBe(9);
    expect(blocked.err).toContain('critic: reject: No test.');
    const { code, asked } = await wait(['--until', 'phase=complete'], answer({ matched: true }));
    expect(code).toBe(0);
    expect(asked[0]).toMatchObject(['/workflow-states/sta_1/wait', { until: 'phase=complete' }]);
  });

  it('ends with 2 where the condition names an item too far back in an array, and takes a member of that name', async () => {
    const long = ['--until', '/list/1001=x', '--timeout', '0s'];
    const part = (list: unknown) => answer({ matched: true, current_data: { list } });
    const refused = await double(long, () => part([1]));
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('/list is an array') });
    expect(refused.err).toContain('--until-schema');
    const taken = await double(long, () => part({}));
    expect(taken.code).toBe(0);
  });

  it('asks again until the time is over, also where the service is too busy', async () => {
    const { code, asked } = await wait(
      [...DONE, '--timeout', '10s'],
      answer({}),
      problem(503, 'overloaded', 'Later.'),
      answer({ matched: true }),
    );
    expect([code, asked.length]).toEqual([0, 3]);
  });

  it('ends with the code of a refusal, and with 3 where nobody answers in time', async () => {
    const gone = await wait(DONE, problem(404, 'state_not_found', 'Gone.'));
    expect(gone.code).toBe(4);
    const nobody = await cli(['state', 'wait', 'sta_1', ...DONE, '--timeout', '300ms'], {
      env: { COUNTERSIGN_URL: 'http://127.0.0.1:1' },
    });
    expect(nobody.code).toBe(3);
  });

  it.each([
    [[], /--until or --until-schema/],
    [['--until', 'status=done'], /POINTER=VALUE/],
    [['--until', '/status'], /POINTER=VALUE/],
    [['--until', '/status==open'], /such as '\/status=open'.* as JSON: '\/status="=open"'/],
    [['--until', '==x'], /never "=x"/],
    [['--until', '=x'], /--until: a document as a whole is an object and never "x"/],
    [['--until', '=1'], /never 1; name a place/],
    [['--until', '/a~2=1'], /'\/a~2' is no JSON Pointer: after ~ stands 0 or 1/],
    [['--until', '/a=1', '--fail-on', '/b==1'], /--fail-on needs POINTER=VALUE with one =/],
    [['--until', '/x!=3'], /has the operator !=, and only = is known.*--until-schema/],
    [['--until', '/x>=3'], /has the operator >=/],
    [['--until', '/x<=3'], /has the operator <=/],
    [['--until', '/status = done'], /has a space before the =; such as '\/status=done'/],
    [['--until', '/a=1', '--fail-on', '/b!=1'], /--fail-on .* operator !=.*--fail-on-schema/],
    [['--until', '/a=1', '--until-schema', '{}'], /two forms/],
    [['--until', '/a=1', '--timeout', '10'], /span of time/],
  ])('%j is a usage error', async (argv, words) => {
    const { code, err, asked } = await wait(argv, answer({}));
    expect(code).toBe(2);
    expect(err).toMatch(words);
    expect(asked).toEqual([]);
  });
});

describe('a condition in short', () => {
  it('takes JSON for JSON, all else for a text, and everything after the first = for the value', () => {
    expect(conditionOf('={"n":1}', 'x')).toEqual({ const: { n: 1 } });
    expect(conditionOf('/a="=b"', 'x')).toMatchObject({ properties: { a: { const: '=b' } } });
    expect(conditionOf('/a=true', 'x')).toMatchObject({ properties: { a: { const: true } } });
    expect(conditionOf('/a="1"', 'x')).toMatchObject({ properties: { a: { const: '1' } } });
    expect(conditionOf('/a=b=c', 'x')).toMatchObject({ properties: { a: { const: 'b=c' } } });
    expect(conditionOf('/a~1b=', 'x')).toMatchObject({
      required: ['a/b'],
      properties: { 'a/b': { const: '' } },
    });
  });

  it('takes a number in the pointer for an index as well as for a name', () => {
    expect(conditionOf('/list/1=x', 'x')).toMatchObject({
      properties: {
        list: {
          anyOf: [
            { properties: { 1: { const: 'x' } } },
            { type: 'array', minItems: 2, prefixItems: [true, { const: 'x' }] },
          ],
        },
      },
    });
  });
});
