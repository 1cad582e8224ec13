import { afterEach, describe, expect, it } from 'vitest';
import { problem, startHttpDouble, type Asked, type HttpDouble, type Reply } from '../client/http-double.js';
import { cli } from './io-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

const text = (id: number | string, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const update = (version: number) =>
  text(version, 'workflow_state_updated', {
    state_id: 'sta_1',
    version,
    patch: [{ op: 'add', path: '/n', value: version }],
    updated_by_session: version === 2 ? 'ses_1' : null,
    timestamp: '2026-01-02T03:04:05.678Z',
  });
const stream = (...parts: string[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: parts.join(''),
});

/** Answers one after the other; at last the state is gone. */
async function watch(argv: string[], ...answers: Reply[]) {
  const asked: Asked[] = [];
  const double = await startHttpDouble((one) => {
    asked.push(one);
    return answers[asked.length - 1] ?? problem(404, 'state_not_found', 'Gone.');
  });
  doubles.push(double);
  const ran = await cli(['state', 'watch', 'sta_1', ...argv], { env: { COUNTERSIGN_URL: double.url } });
  return { ...ran, asked };
}

describe('state watch', () => {
  it('prints a line for each change, and nothing of bookmarks', async () => {
    const { code, out, err } = await watch([], stream(text(1, 'bookmark', {}), update(2), update(3)));
    expect(out).toBe(
      'version 2  2026-01-02 03:04:05  ses_1  [{"op":"add","path":"/n","value":2}]\n' +
        'version 3  2026-01-02 03:04:05  operator  [{"op":"add","path":"/n","value":3}]\n',
    );
    expect(code).toBe(4);
    expect(err).toContain('state_not_found');
  });

  it('goes on after what it has heard when the connection ends', async () => {
    const { out, asked } = await watch(
      ['--since', '1', '--json'],
      stream(update(2), update(3)),
      stream(text('', 'dropped', { reason: 'too_slow' })),
      stream(update(4)),
    );
    expect(asked.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual(
      ['1', '3', '3', '4'].map((last) => ['/workflow-states/sta_1/stream', last]),
    );
    expect(out.split('\n').map((line) => (line === '' ? '' : JSON.parse(line).id))).toEqual([
      '2',
      '3',
      '4',
      '',
    ]);
  });

  it('begins with the whole state where that is asked for', async () => {
    const first = stream(text(7, 'snapshot', { version: 7, current_data: { n: 1 } }));
    const { out, asked } = await watch(['--snapshot'], first);
    expect(out).toBe('version 7\n{\n  "n": 1\n}\n');
    expect(asked[0]?.url).toBe('/workflow-states/sta_1/stream?snapshot=true');
  });

  it('ends with the refusal that ends the stream', async () => {
    const data = { reason: 'refused', error: 'version_compacted', detail: 'Too old.', oldest_version: 9 };
    const { code, err } = await watch([], stream(update(2), text(2, 'dropped', data)));
    expect(code).toBe(4);
    expect(err).toContain('version_compacted');
  });

  it.each([
    ['text/html', '<html>Log in</html>'],
    ['application/json', '{"login":true}'],
    ['text/event-streams', update(2)],
  ])('ends with 3 where what answers is %s, at first or later', async (type, body) => {
    const stranger: Reply = { status: 200, headers: { 'content-type': type }, body };
    for (const answers of [[stranger], [stream(update(2)), stranger]]) {
      const { code, err, asked } = await watch([], ...answers);
      expect([code, asked.length]).toEqual([3, answers.length]);
      expect(err).toMatch(/answered HTTP 200 at .* is not Countersign/);
    }
  });

  it.each(['{"a":', 'null', '[]', '"text"', 'hello'])(
    'ends with 3 where an event has the data %s',
    async (data) => {
      const event = `id: 3\nevent: workflow_state_updated\ndata: ${data}\n\n`;
      for (const answers of [[stream(event)], [stream(update(2)), stream(event)]]) {
        const { code, err, asked } = await watch([], ...answers);
        expect([code, asked.length]).toEqual([3, answers.length]);
        expect(err).toContain('is not Countersign: the data of an event is no JSON object');
      }
    },
  );
});
