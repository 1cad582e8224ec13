// `state mirror` against answers that a real service gives rarely. test/e2e/states/mirror.test.ts has the real service.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { problem, startHttpDouble, type HttpDouble, type Reply } from '../client/http-double.js';
import { eventually } from '../support/eventually.js';
import { overview, page, session, state } from './answers.js';
import { cli } from './io-double.js';

let dir: string;
const doubles: HttpDouble[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-mirror-'));
});
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
  rmSync(dir, { recursive: true });
});

const text = (id: string, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const bookmark = text('1-1', 'bookmark', {});
const refusal = (error: string) => text('1-1', 'dropped', { reason: 'refused', error, detail: 'So it is.' });
const stream = (...parts: string[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: parts.join(''),
});
const ok = (body: unknown): Reply => ({ status: 200, body });

interface Service {
  /** Answers of the stream, one after the other. Then the caller is unauthorized, once all lists were asked for. */
  readonly streams: readonly Reply[];
  /** Answers of the list, one after the other; the last one again and again. */
  readonly lists: readonly Reply[];
  /** Answers of everything else. */
  readonly others?: (url: string) => Reply;
}

const NOTHING = problem(404, 'state_not_found', 'No such state.');

async function mirror({ streams, lists, others = () => NOTHING }: Service, ...argv: string[]) {
  let [streamed, listed] = [0, 0];
  const double = await startHttpDouble(async ({ url }) => {
    if (url.startsWith('/workflow-states?')) {
      listed += 1;
      return lists[Math.min(listed, lists.length) - 1] ?? NOTHING;
    }
    if (!url.startsWith('/stream')) return others(url);
    streamed += 1;
    const answer = streams[streamed - 1];
    const first = streamed === 1;
    if (!first)
      await eventually('the lists', () => listed >= (answer === undefined ? lists.length : 1), 30_000);
    if (answer !== undefined) return answer;
    return problem(401, 'unauthorized', 'Not you.');
  });
  doubles.push(double);
  const env = { COUNTERSIGN_URL: double.url };
  const ran = await cli(['state', 'mirror', ...argv, '--dir', join(dir, 'm')], { env });
  return { ...ran, listed, requests: double.asked.map(({ url }) => url) };
}

const events = (out: string) => out.split('\n').filter((line) => line !== '');

describe('state mirror', () => {
  it('writes what it reads, and tells it', async () => {
    const { code, out, err } = await mirror(
      { streams: [stream(bookmark)], lists: [ok(page(state))] },
      '--all',
    );
    const folder = join(dir, 'm', 'orchestrator');
    expect(events(out).slice(0, 2)).toEqual([
      `sta_1  version 7  ${folder}`,
      `1 state mirrored in ${join(dir, 'm')}`,
    ]);
    expect(readFileSync(join(folder, 'state.json'), 'utf8')).toBe(
      '{\n  "tasks": [\n    {\n      "status": "done"\n    }\n  ]\n}\n',
    );
    // What ends it is told as by any command.
    expect([code, err]).toEqual([7, expect.stringContaining('unauthorized')]);
  });

  it.each(['version_compacted', 'version_not_found'])(
    'reads everything anew where the stream ends with %s',
    async (error) => {
      const newer = { ...state, version: 8 };
      const { listed, out } = await mirror(
        {
          streams: [stream(bookmark), stream(refusal(error)), stream(bookmark)],
          lists: [ok(page(state)), ok(page(newer))],
        },
        '--all',
      );
      expect(listed).toBe(2);
      expect(out).toContain('version 8');
    },
  );

  it('reports a state that cannot be read, and mirrors the others', async () => {
    const broken = { ...state, state_id: 'sta_2', root_session_name: 'broken', current_data: undefined };
    const damage = { record: 'event', record_id: 'e', column: null, detail: 'Its event is damaged.' };
    const { out, err } = await mirror(
      {
        streams: [stream(bookmark)],
        lists: [ok(page({ ...broken, damaged: damage }, state))],
      },
      '--all',
    );
    expect(out).toContain('sta_1  version 7');
    expect(err.split('\n')[0]).toBe('sta_2: Its event is damaged.');
    expect(out).toContain('1 state mirrored in');
    expect(readdirSync(join(dir, 'm'))).toEqual(['orchestrator']);
  });

  it('tries again where the service is overloaded, and says so once', async () => {
    const busy = problem(503, 'overloaded', 'Too much to do.');
    const { listed, err, out } = await mirror(
      {
        streams: [stream(bookmark)],
        lists: [...Array.from({ length: 6 }, () => busy), ok(page(state))],
      },
      '--all',
    );
    expect(listed).toBeGreaterThan(6);
    expect(err.match(/the service: Too much to do/g)).toHaveLength(1);
    expect(out).toContain('sta_1  version 7');
  });

  it('removes nothing that a caller may only not see', async () => {
    await mirror({ streams: [stream(bookmark)], lists: [ok(page(state))] }, '--all');
    const forbidden = problem(403, 'forbidden', 'Not for sessions.');
    const others = (url: string) => (url === '/overview' ? forbidden : NOTHING);
    await mirror({ streams: [stream(bookmark)], lists: [ok(page())], others }, '--all');
    expect(existsSync(join(dir, 'm', 'orchestrator', 'state.json'))).toBe(true);
  });

  it('asks for the tree of a session alone', async () => {
    const others = (url: string) => (url.startsWith('/sessions/') ? ok(session) : NOTHING);
    const { requests } = await mirror(
      { streams: [stream(bookmark)], lists: [ok(page(state))], others },
      '--root-session',
      'reviewer',
    );
    expect(new Set(requests)).toEqual(
      new Set([
        '/sessions/reviewer',
        '/stream?root_session=ses_1',
        '/workflow-states?root_session=ses_1&include=data',
      ]),
    );
  });

  describe('of a tree by its name', () => {
    const byName = ['--root-session', 'orchestrator'];
    const NO_SESSION = problem(404, 'session_not_found', 'No such session.');
    const root = { ...session, session_id: 'ses_1', session_name: 'orchestrator', parent_session_id: null };
    const file = () => join(dir, 'm', 'orchestrator', 'state.json');
    const mirrorTree = (now: typeof root | null, others: (url: string) => Reply, states = page(state)) =>
      mirror(
        {
          streams: [stream(bookmark)],
          lists: [ok(states)],
          others: (url) =>
            url.startsWith('/sessions/') ? (now === null ? NO_SESSION : ok(now)) : others(url),
        },
        ...byName,
      );
    const all = (url: string) => (url === '/overview' ? ok(overview) : NOTHING);
    beforeEach(() => mirrorTree(root, all));

    it('removes the files of a tree that is gone, and is refused', async () => {
      const { code, err, out } = await mirrorTree(null, all);
      expect([code, err]).toEqual([4, expect.stringContaining('session_not_found')]);
      expect(out).toContain('sta_1');
      expect(existsSync(join(dir, 'm', 'orchestrator'))).toBe(false);
    });

    it('removes nothing that is there, or that the caller may only not see', async () => {
      const events = { events: [], has_more: false };
      const there = (url: string) => (url.startsWith('/workflow-states/') ? ok(events) : all(url));
      expect(await mirrorTree(null, there)).toMatchObject({ code: 4 });
      expect(existsSync(file())).toBe(true);
      const forbidden = problem(403, 'forbidden', 'Not for sessions.');
      const unseen = (url: string) => (url === '/overview' ? forbidden : NOTHING);
      expect(await mirrorTree(null, unseen)).toMatchObject({ code: 4 });
      expect(existsSync(file())).toBe(true);
    });

    it('gives the folder of the tree that is gone to the next one of the name', async () => {
      const next = { ...state, state_id: 'sta_2', root_session_id: 'ses_9', version: 1 };
      await mirrorTree({ ...root, session_id: 'ses_9', root_session_id: 'ses_9' }, all, page(next));
      expect(readdirSync(join(dir, 'm'))).toEqual(['orchestrator']);
      expect(readFileSync(join(dir, 'm', 'orchestrator', 'state.meta.json'), 'utf8')).toContain('sta_2');
    });
  });

  it('is refused without a folder, and with two things to mirror', async () => {
    expect(await cli(['state', 'mirror', '--all'])).toMatchObject({ code: 2 });
    const both = await cli(['state', 'mirror', 'sta_1', '--root-session', 'r', '--dir', dir]);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('never go together')]);
  });
});
