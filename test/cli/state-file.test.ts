// `state export` and `state import` against a service that answers as it is told to.
import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { problem, startHttpDouble, type Asked, type HttpDouble, type Reply } from '../client/http-double.js';
import { schema, state } from './answers.js';
import { cli, type Around } from './io-double.js';

const at = '2026-01-02T03:04:05.678Z';
const event = (version: number) => ({
  event_id: `evt_${String(version)}`,
  version,
  kind: 'json_patch',
  patch: [],
  session_id: null,
  run_id: null,
  late: false,
  created_at: at,
  hash: 'h',
});

const exported = {
  format: 'countersign-state',
  format_version: 1,
  schema: {
    name: 'plan',
    version: 2,
    description: null,
    compatibility: 'none',
    json_schema: { type: 'object' },
  },
  state: {
    state_id: 'sta_1',
    root_session_id: 'ses_1',
    root_session_name: 'orchestrator',
    created_at: at,
    updated_at: at,
    updated_by: null,
  },
  version: 7,
  current_data: { tasks: [{ status: 'done' }] },
};

let dir = '';
let double: HttpDouble | null = null;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'countersign-cli-'))));
afterEach(async () => {
  await double?.close();
  double = null;
  rmSync(dir, { recursive: true });
});

async function ask(argv: string[], answer: (asked: Asked) => Reply, around: Around = {}) {
  double = await startHttpDouble(answer);
  const ran = await cli(['state', ...argv], { ...around, env: { COUNTERSIGN_URL: double.url } });
  return { ...ran, requests: double.asked.map(({ method, url, body }) => `${method} ${url} ${body}`.trim()) };
}

describe('state export', () => {
  const events = [2, 3, 5, 6, 7, 8].map(event); // 4 is of another page; 8 came after the document was read
  const service = ({ url }: Asked): Reply => {
    if (url.startsWith('/workflow-schemas')) return { status: 200, body: schema };
    if (!url.includes('/events')) return { status: 200, body: state };
    const since = Number(/since=(\d+)/.exec(url)?.[1] ?? 0);
    const page = events.filter(({ version }) => version > since).slice(0, 2);
    return { status: 200, body: { events: page, has_more: page.at(-1)?.version !== 8 } };
  };

  it('writes one document with the schema that the state is on', async () => {
    const ran = await ask(['export', 'sta_1'], service);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.requests).toEqual(['GET /workflow-states/sta_1', 'GET /workflow-schemas/plan?version=2']);
    expect(JSON.parse(ran.out)).toEqual(exported);
  });

  it('brings the history along, up to the version of the document', async () => {
    const ran = await ask(['export', 'sta_1', '--history', '--json'], service);
    const { events: found, ...rest } = JSON.parse(ran.out);
    expect(rest).toEqual(exported);
    expect(found).toEqual([2, 3, 5, 6, 7].map(event));
    expect(ran.requests.slice(2)).toEqual([
      'GET /workflow-states/sta_1/events?limit=1000',
      'GET /workflow-states/sta_1/events?limit=1000&since=3',
      'GET /workflow-states/sta_1/events?limit=1000&since=6',
    ]);
  });

  it('writes a file where one is named, and says which', async () => {
    const file = join(dir, 'state.json');
    writeFileSync(file, 'old');
    const ran = await ask(['export', 'sta_1', '--out', file], service);
    expect(ran).toMatchObject({ code: 0, out: `sta_1  version 7, written to ${file}\n` });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(exported);
    await double?.close();
    const json = await ask(['export', 'sta_1', '--history', '--out', file, '--json'], service);
    expect(JSON.parse(json.out)).toEqual({ state_id: 'sta_1', version: 7, events: 5, file });
  });

  it('replaces the file in one step: what was there stays whole until then', async () => {
    const [file, opened] = [join(dir, 'state.json'), join(dir, 'opened.json')];
    writeFileSync(file, 'old');
    linkSync(file, opened); // As a reader who has opened it sees it.
    expect(await ask(['export', 'sta_1', '--out', file], service)).toMatchObject({ code: 0 });
    expect(readFileSync(opened, 'utf8')).toBe('old');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(exported);
    expect(readdirSync(dir).toSorted()).toEqual(['opened.json', 'state.json']);
  });

  it('ends with 2 where the file cannot be written, and with what the service refuses', async () => {
    const ran = await ask(['export', 'sta_1', '--out', join(dir, 'none', 'state.json')], service);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('cannot be written (ENOENT)');
    await double?.close();
    const none = await ask(['export', 'sta_1'], () => problem(404, 'state_not_found', 'No.'));
    expect(none).toMatchObject({ code: 4, out: '' });
    await double?.close();
    const cut = await ask(['export', 'sta_1', '--history'], (asked) =>
      asked.url.includes('since') ? problem(410, 'version_compacted', 'Gone.') : service(asked),
    );
    expect(cut).toMatchObject({ code: 4, out: '' });
  });
});

describe('state import', () => {
  const made = { ...state, state_id: 'sta_2', version: 1 };
  const service =
    (known: boolean) =>
    ({ method, url }: Asked): Reply => {
      if (url.startsWith('/workflow-states')) return { status: 201, body: made };
      if (method === 'POST') return { status: 200, body: { ...schema, name: 'copy', version: 4 } };
      return known ? { status: 200, body: schema } : problem(404, 'schema_not_found', 'No.');
    };
  const file = (content: unknown) => {
    const path = join(dir, 'state.json');
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  it('registers the schema, and creates a state on the version that it has', async () => {
    const ran = await ask(['import', file(exported), '--json'], service(false));
    expect(ran.requests).toEqual([
      'GET /workflow-schemas/plan',
      'POST /workflow-schemas {"name":"plan","json_schema":{"type":"object"},"description":null,"compatibility":"none"}',
      'POST /workflow-states {"schema_name":"copy","schema_version":4,"initial_data":{"tasks":[{"status":"done"}]}}',
    ]);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(ran.out)).toEqual(made);
  });

  it('leaves alone what a known name promises, and takes another name and a root', async () => {
    const argv = ['import', '-', '--schema-name', 'copy', '--root-session', 'release'];
    const ran = await ask(argv, service(true), {
      stdin: JSON.stringify({ ...exported, events: [event(7)] }),
    });
    expect(ran.requests).toEqual([
      'GET /workflow-schemas/copy',
      'POST /workflow-schemas {"name":"copy","json_schema":{"type":"object"},"description":null}',
      'POST /workflow-states {"schema_name":"copy","schema_version":4,"initial_data":{"tasks":[{"status":"done"}]},"root_session_name":"release"}',
    ]);
    expect(ran.out).toMatch(/^state +sta_2\n/);
    expect(ran.err).toBe(
      'The history of the file (events: 1) was left out; that of the new state begins now.\n',
    );
  });

  it.each([
    [201, ' Version 2 of the schema plan was registered before, and stays.'],
    [200, ''],
  ])('refused after the schema was answered with %i says what stays: "%s"', async (status, stays) => {
    const answers = ({ method, url }: Asked): Reply => {
      if (url.startsWith('/workflow-states'))
        return problem(422, 'validation_failed', 'Nothing was written.');
      return { status: method === 'POST' ? status : 200, body: schema };
    };
    const ran = await ask(['import', file(exported), '--json'], answers);
    expect(ran).toMatchObject({ code: 6, out: '' });
    expect(JSON.parse(ran.err)).toMatchObject({ detail: `Nothing was written.${stays}` });
  });

  it.each<[string, unknown, string]>([
    ['a list', [], '/format has to be "countersign-state"'],
    ['another document', { type: 'object' }, '/format has to be "countersign-state"'],
    ['a later format', { ...exported, format_version: 2 }, '/format_version is 2; this program reads 1'],
    ['no version', { ...exported, format_version: undefined }, '/format_version is null'],
    ['no schema', { ...exported, schema: undefined }, '/schema has to be an object'],
    ['no name', { ...exported, schema: { json_schema: {} } }, '/schema/name has to be a text'],
    ['no content', { ...exported, schema: { name: 'plan' } }, '/schema/json_schema has to be a JSON Schema'],
    [
      'a description that is none',
      { ...exported, schema: { ...exported.schema, description: 1 } },
      '/schema/description has to be a text',
    ],
    [
      'a mode that is none',
      { ...exported, schema: { ...exported.schema, compatibility: 'sideways' } },
      '/schema/compatibility has to be one of none',
    ],
    ['no document', { ...exported, current_data: undefined }, '/current_data has to be the document'],
    ['events that are none', { ...exported, events: {} }, '/events has to be an array'],
  ])('of %s ends with 2, and asks nothing', async (_, content, expected) => {
    const ran = await ask(['import', file(content)], service(true));
    expect(ran).toMatchObject({ code: 2, out: '', requests: [] });
    expect(ran.err).toContain(expected);
  });

  it('reads what an export writes, however it is laid out and however long its history is', async () => {
    const data = { tasks: Array.from({ length: 10 }, () => Array.from({ length: 60_000 }, () => 1)) };
    const wide = join(dir, 'wide.json');
    writeFileSync(wide, JSON.stringify({ ...exported, current_data: data }, null, 2));
    expect(statSync(wide).size).toBeGreaterThan(DEFAULT_LIMITS.bodyBytesMax);
    const ran = await ask(['import', wide, '--schema-name', 'copy'], service(true));
    expect(ran).toMatchObject({ code: 0, err: '' });
    await double?.close();
    const patch = [{ op: 'add', path: '/a', value: 'a'.repeat(DEFAULT_LIMITS.documentFileBytesMax) }];
    const long = file({ ...exported, events: [{ ...event(7), patch }] });
    expect((await ask(['import', long], service(true))).code).toBe(0);
    expect((await cli(['verify', '--export', long])).err).not.toContain('is longer than');
  });

  it('of a file that is longer than exportFileBytesMax ends with 2, and asks nothing', async () => {
    const path = join(dir, 'long.json');
    writeFileSync(path, '');
    truncateSync(path, DEFAULT_LIMITS.exportFileBytesMax + 1);
    const ran = await ask(['import', path], service(true));
    expect(ran).toMatchObject({ code: 2, requests: [] });
    expect(ran.err).toContain('is longer than 268435456 bytes (exportFileBytesMax)');
  });

  it.each([
    ['no JSON', () => 'ein Text'],
    ['half a file', () => '{"format": "countersign-state", '],
  ])('of %s ends with 2', async (_, content) => {
    const path = join(dir, 'broken.json');
    writeFileSync(path, content());
    const ran = await ask(['import', path], service(true));
    expect(ran).toMatchObject({ code: 2, requests: [] });
    expect(ran.err).toContain('is not JSON');
  });

  it.each([
    [422, 'schema_too_complex', 6, /schemas$/],
    [409, 'incompatible_schema', 5, /schemas$/],
    [422, 'validation_failed', 6, /states$/],
    [409, 'state_exists', 5, /states$/],
  ])('refused with %i %s ends with %i', async (status, error, code, where) => {
    const ran = await ask(['import', file(exported)], (asked) =>
      asked.method === 'POST' && where.test(asked.url)
        ? problem(status, error, 'So it is.')
        : service(true)(asked),
    );
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain('So it is.');
  });
});
