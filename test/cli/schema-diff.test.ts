// `schema diff` and the dry run of `schema register`: what they print, and how they end.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpDouble, type HttpDouble } from '../client/http-double.js';
import { schema } from './answers.js';
import { cli } from './io-double.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-diff-'));
const file = (name: string, content: unknown) => {
  const path = join(dir, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const OLD = { type: 'object', properties: { n: { type: 'integer' } } };
const NEW = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const [old, newer] = [file('old.json', OLD), file('new.json', NEW)];

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

describe('schema validate', () => {
  const verdict = { schema_name: 'plan', schema_version: 2, valid: false };
  const errors = [{ pointer: '/n', keyword: 'type', message: 'must be integer', expected: 'integer' }];

  it.each([
    [{ ...verdict, errors }, 6, 'not valid under version 2 of plan\n  /n: must be integer\n'],
    [{ ...verdict, valid: true, errors: [] }, 0, 'valid under version 2 of plan\n'],
  ])('prints %j and ends with %d', async (body, ends, printed) => {
    const double = await startHttpDouble(() => ({ status: 200, body }));
    doubles.push(double);
    const { code, out } = await cli(['schema', 'validate', 'plan', '{"n":"x"}', '--url', double.url]);
    expect(double.asked).toMatchObject([{ method: 'POST', url: '/workflow-schemas/plan/validate' }]);
    expect([code, out]).toEqual([ends, printed]);
  });
});

describe('schema diff', () => {
  it('says both verdicts and every difference', async () => {
    const { code, out } = await cli(['schema', 'diff', old, newer]);
    expect(code).toBe(0);
    expect(out).toContain('backward: incompatible\n  /required/0: the member "n" has to be there now');
    expect(out).toContain(
      'forward: incompatible\n  /properties/n/type: the type is integer now; fraction is not accepted any more',
    );
  });

  it('writes both as JSON', async () => {
    const { out } = await cli(['schema', 'diff', old, old, '--json']);
    const same = { verdict: 'compatible', differences: [] };
    expect(JSON.parse(out)).toEqual({ backward: same, forward: same });
  });

  it('asks the service for two versions of a name', async () => {
    const double = await startHttpDouble(({ url }) => {
      const version = url.endsWith('version=1') ? 1 : 2;
      return { status: 200, body: { ...schema, version, json_schema: version === 1 ? OLD : NEW } };
    });
    doubles.push(double);
    const { code, out } = await cli(['schema', 'diff', 'plan', '--from', '1', '--url', double.url]);
    expect(double.asked.map(({ url }) => url)).toEqual([
      '/workflow-schemas/plan?version=1',
      '/workflow-schemas/plan',
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('backward: incompatible')]);
  });

  it.each([
    [[old, newer, '--require', 'backward'], 5],
    [[newer, old, '--require', 'forward'], 5],
    [[old, old, '--require', 'full'], 0],
    [[old, file('bad.json', { type: 'array' })], 6],
    [[old, file('worse.json', '{')], 2],
    [[old], 2],
    [['plan'], 2],
    [[old, newer, '--from', '1'], 2],
    [[old, newer, '--require', 'some'], 2],
  ])('%j ends with %i', async (args, expected) => {
    expect((await cli(['schema', 'diff', ...args])).code).toBe(expected);
  });
});

describe('schema register --dry-run', () => {
  it('ends with 5 where the compatibility would not be kept, and lists what fails', async () => {
    const difference = {
      direction: 'backward',
      version: 2,
      pointer: '/required/0',
      rule: 'required',
      message: 'gone',
    };
    const error = { pointer: '/n', keyword: 'type', message: 'must be a number', expected: null };
    const double = await startHttpDouble(() => ({
      status: 200,
      body: {
        would_create_version: 3,
        compatibility: { mode: 'backward', verdict: 'incompatible', differences: [difference] },
        live_states: {
          checked: 4,
          all: true,
          failing_count: 1,
          failing: [{ state_id: 'sta_1', version: 7, errors: [error] }],
        },
      },
    }));
    doubles.push(double);
    const args = ['schema', 'register', newer, '--name', 'plan', '--dry-run', '--url', double.url];
    const { code, out } = await cli(args);
    expect(code).toBe(5);
    expect(out).toContain('backward: incompatible');
    expect(out).toContain('backward 2  /required/0: gone');
    expect(out).toContain('1 of 4 would be refused');
    expect(out).toContain('sta_1  version 7  /n: must be a number');
  });
});
