// A database that somebody edits, from outside: the real program, over HTTP, MCP and streams. And its backup under load.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { McpClient } from '../../support/mcp.js';
import { runProgram } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

const env = { COUNTERSIGN_SIGNING_SECRET: 'a secret of at least 32 characters, for tests' };

describe('a signed database', () => {
  let stage: Stage;
  let edited: string;
  let sound: string;

  const command = (...args: string[]) =>
    runProgram([...args, '--db', stage.db], { env: { ...env, COUNTERSIGN_URL: stage.url } });

  async function makeState(root: string): Promise<string> {
    must(await stage.operator.sessions.create({ session_name: root, external: true }));
    const { state_id } = must(
      await stage.operator.states.create({
        schema_name: 'any',
        root_session_name: root,
        initial_data: { verdict: { by: { ok: false } } },
      }),
    );
    must(await stage.operator.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {}));
    return state_id;
  }

  beforeAll(async () => {
    stage = await Stage.open({ runner: null, env });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    edited = await makeState('edited');
    sound = await makeState('sound');
  });
  afterAll(() => stage.close());

  test('is backed up by a process of its own while the service writes', async () => {
    const stop = new AbortController();
    let writes = 0;
    const writing = (async () => {
      while (!stop.signal.aborted) {
        must(await stage.operator.states.patch(sound, [{ op: 'replace', path: '/n', value: writes }], {}));
        writes += 1;
      }
    })();
    const file = join(stage.dir, 'backup.db');
    const backup = await command('backup', file);
    stop.abort();
    await writing;
    expect(backup).toMatchObject({ code: 0 });
    expect(writes).toBeGreaterThan(10);
    const verified = await runProgram(['verify', '--db', file, '--json'], { env });
    expect(JSON.parse(verified.stdout)).toMatchObject({ holds: true, states: 2, signatures: 'checked' });
    rmSync(file);
  });

  test('is verified while the service works on it, and its head is printed', async () => {
    const head = await runProgram(['state', 'head', sound, '--json'], {
      env: { COUNTERSIGN_URL: stage.url },
    });
    const { hash } = JSON.parse(head.stdout) as { hash: string };
    expect(await command('verify', sound, '--expect-head', hash)).toMatchObject({ code: 0 });
  });

  test('starts with its secret only', async () => {
    await stage.coordinator.end('SIGTERM');
    const refused = await runProgram(['serve', '--port', '0', '--db', stage.db]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: The database .* cannot be used: its histories are signed with the key [0-9a-f]{12}; set COUNTERSIGN_SIGNING_SECRET to the secret of that key\n$/,
    );
    const other = { COUNTERSIGN_SIGNING_SECRET: 'another secret of at least 32 characters' };
    const wrong = await runProgram(['serve', '--port', '0', '--db', stage.db], { env: other });
    expect(wrong.stderr).toContain('to change the secret, set COUNTERSIGN_SIGNING_SECRET_PREVIOUS');
  });

  test('with an edited verdict, is refused over HTTP, MCP and streams; another state is not', async () => {
    const client = keepStatements(new Database(stage.db));
    client.exec(`update state_snapshots set text = replace(text, 'false', 'true') where state_key =
      (select seq from workflow_states where state_id = '${edited}')`);
    client.close();
    await stage.startCoordinator();
    const path = `${stage.url}/workflow-states/${edited}`;
    const read = await fetch(path);
    expect(read.status).toBe(500);
    expect(await read.json()).toMatchObject({ error: 'state_tampered', state_id: edited });
    const json = { 'content-type': 'application/json' };
    const wait = { until: { required: ['x'] }, timeout_ms: 100 };
    const asked = [
      fetch(path, { method: 'PUT', headers: json, body: JSON.stringify({ data: {} }) }),
      fetch(`${path}/wait`, { method: 'POST', headers: json, body: JSON.stringify(wait) }),
      fetch(`${path}/stream`),
    ];
    for (const answer of await Promise.all(asked)) {
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ error: 'state_tampered' });
    }
    const mcp = await McpClient.http(stage.url, { 'x-agent-session-name': 'edited' }, 'modern');
    const called = await mcp.call('state_read');
    expect(called.failed).toBe(true);
    expect(called.text).toMatch(/^state_tampered: .*\nNext: /);
    await mcp.close();
    expect(must(await stage.operator.states.get(sound)).state_id).toBe(sound);
    const metrics = await (await fetch(`${stage.url}/metrics`)).text();
    expect(metrics).toContain('countersign_tampered_states{status="met"} 1');
    expect(stage.coordinator.log).toContain('see countersign verify');
    const verified = await command('verify');
    expect(verified).toMatchObject({ code: 1 });
    expect(verified.stdout).toContain(`${edited}  version 1: the snapshot is not as it was written`);
  });
});
