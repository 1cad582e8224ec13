// `session delete` and what becomes of the workflow state, through the command line and plain HTTP, on a running service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/index.js';
import { createClient, type CountersignService } from '../../src/client/index.js';
import { startCoordinator, type Coordinator } from '../../src/main/coordinator.js';
import { must, silent } from '../service/harness.js';
import { cli } from './io-double.js';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-delete-'));
const path = join(dir, 'delete.db');
let coordinator: Coordinator;
let operator: CountersignService;
beforeAll(async () => {
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: path,
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: {},
    webhookAllow: 'private',
    logger: silent,
  });
  operator = createClient({ url: coordinator.url, retry: false });
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
});
afterAll(async () => {
  expect(must(await operator.operations.doctor()).findings).toEqual([]);
  await coordinator.close();
  rmSync(dir, { recursive: true, force: true });
});

const run = (...argv: string[]) => cli(argv, { env: { COUNTERSIGN_URL: coordinator.url } });

async function rootWithState(name: string): Promise<string> {
  must(await operator.sessions.create({ session_name: name, external: true }));
  const made = await operator.states.create({
    schema_name: 'any',
    initial_data: {},
    root_session_name: name,
  });
  return must(made).state_id;
}

/** What the command line lists. */
async function listed(...flags: string[]): Promise<string[]> {
  const { code, out } = await run('state', 'list', '--json', ...flags);
  expect(code).toBe(EXIT.ok);
  const page: { items: { state_id: string }[] } = JSON.parse(out);
  return page.items.map((one) => one.state_id);
}

/** The rows of what a deletion would touch. */
function written(): string {
  const db = keepStatements(new Database(path, { readonly: true }));
  const rows = ['sessions', 'workflow_states', 'trees', 'runs', 'completions', 'callbacks', 'notices'].map(
    (table) => db.prepare(`select * from ${table}`).all(),
  );
  db.close();
  return JSON.stringify(rows);
}

describe('session delete', () => {
  it('keeps the state of a root, which is listed as orphaned and can be deleted by itself', async () => {
    const stateId = await rootWithState('keeps');
    expect(await listed('--orphaned')).toEqual([]);
    expect(await run('session', 'delete', 'keeps')).toMatchObject({
      code: EXIT.ok,
      out: 'keeps is deleted.\n',
      err: '',
    });
    expect((await run('session', 'show', 'keeps')).code).toBe(EXIT.notFound);
    expect(await listed('--orphaned')).toEqual([stateId]);
    expect((await run('state', 'get', stateId, '--data-only')).out).toBe('{}\n');

    const gone = await fetch(`${coordinator.url}/workflow-states/${stateId}`, { method: 'DELETE' });
    expect(gone.status).toBe(204);
    expect(await listed('--orphaned')).toEqual([]);
    expect((await run('state', 'get', stateId)).code).toBe(EXIT.notFound);
  });

  it('takes the state with it with --cascade', async () => {
    const stateId = await rootWithState('takes');
    const { code, out } = await run('session', 'delete', 'takes', '--cascade', '--json');
    expect([code, out]).toEqual([EXIT.ok, 'null\n']);
    expect((await run('session', 'show', 'takes')).code).toBe(EXIT.notFound);
    expect((await run('state', 'get', stateId)).code).toBe(EXIT.notFound);
    expect(await listed()).not.toContain(stateId);
  });

  it.each([[[]], [['--cascade']]])(
    'is refused with work under way, and nothing is written: %j',
    async (flags) => {
      const name = `busy${flags.join('')}`;
      must(await operator.runs.create({ type: 'start_session', session_name: name, prompt: 'go' }));
      must(await operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: name }));
      const before = written();
      const { code, out, err } = await run('session', 'delete', name, ...flags);
      expect([code, out]).toEqual([EXIT.conflict, '']);
      expect(err).toContain('has work under way; stop it first');
      const found = await run('session', 'delete', name, ...flags, '--json');
      expect(JSON.parse(found.err)).toMatchObject({ error: 'session_busy' });
      expect(written()).toBe(before);
      expect(await listed('--orphaned')).toEqual([]);
    },
  );

  it('is told that there is no such session', async () => {
    expect(await run('session', 'delete', 'nobody', '--cascade')).toMatchObject({
      code: EXIT.notFound,
      out: '',
    });
    expect((await run('session', 'delete')).code).toBe(EXIT.usage);
    expect((await run('session', 'delete', '--help')).out).toContain('--cascade');
  });
});

describe('over HTTP', () => {
  const ask = (method: string, place: string) => fetch(coordinator.url + place, { method });

  it('cascade and orphaned are booleans, each in both values', async () => {
    const kept = await rootWithState('kept');
    const taken = await rootWithState('taken');
    expect((await ask('DELETE', '/sessions/kept?cascade=false')).status).toBe(204);
    expect((await ask('DELETE', '/sessions/taken?cascade=true')).status).toBe(204);
    expect((await ask('GET', `/workflow-states/${taken}`)).status).toBe(404);
    const other = await rootWithState('other');
    const ids = async (place: string) => {
      const page: any = await (await ask('GET', place)).json();
      return page.items.map((one: { state_id: string }) => one.state_id);
    };
    expect(await ids('/workflow-states?orphaned=true')).toEqual([kept]);
    expect(await ids('/workflow-states?orphaned=false')).toContain(other);
    expect(await ids('/workflow-states?orphaned=false')).not.toContain(kept);
    expect((await ask('DELETE', `/workflow-states/${kept}`)).status).toBe(204);
  });

  it.each([
    ['DELETE', '/sessions/strict?cascade=yes', '/query/cascade'],
    ['DELETE', '/sessions/strict?cascade=', '/query/cascade'],
    ['DELETE', '/sessions/strict?cascade=1', '/query/cascade'],
    ['DELETE', '/sessions/strict?cascade=true&cascade=false', '/query/cascade'],
    ['DELETE', '/sessions/strict?cascades=true', '/query/cascades'],
    ['GET', '/workflow-states?orphaned=yes', '/query/orphaned'],
    ['GET', '/workflow-states?orphaned=', '/query/orphaned'],
  ])('%s %s is refused by its place, and nothing is written', async (method, place, pointer) => {
    await operator.sessions.create({ session_name: 'strict', external: true });
    const before = written();
    const answer = await ask(method, place);
    const problem: any = await answer.json();
    expect([answer.status, problem.error]).toEqual([422, 'invalid_request']);
    expect(problem.errors.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
    expect(written()).toBe(before);
  });
});
