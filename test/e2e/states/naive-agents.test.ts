// Children that read the whole document, wait, and send all of it back with only their own part changed: what is lost
// without the merge, and that nothing is with it. Over HTTP and by the command line, with the real program.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../support/program.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const CHILDREN = 20;

describe('naive agents', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  /** A root with a state and children, each addressed by its name. */
  async function tree(root: string, count: number) {
    must(await stage.operator.sessions.create({ session_name: root, external: true }));
    const { state_id: stateId } = must(
      await stage
        .as(root)
        .states.create({ schema_name: 'any', initial_data: { parts: {}, log: ['opened'] } }),
    );
    const names = Array.from({ length: count }, (_, i) => `${root}-${String(i)}`);
    for (const name of names) {
      must(await stage.as(root).sessions.create({ session_name: name, external: true }));
    }
    return { stateId, names };
  }

  /** Reads, waits until all have read, and replaces the whole document; twice, the second time from memory. */
  async function play(root: string, terms: object, rounds: number) {
    const { stateId, names } = await tree(root, CHILDREN);
    const url = `${stage.url}/workflow-states/${stateId}`;
    const headersOf = (name: string) => ({
      'x-agent-session-name': name,
      'content-type': 'application/json',
    });
    const memories = await Promise.all(
      names.map(async (name) => {
        const response = await fetch(url, { headers: headersOf(name) });
        const { current_data: data } = (await response.json()) as { current_data: Parts };
        return { name, data };
      }),
    );
    const statuses: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await Promise.all(
        memories.map(async (memory) => {
          const { name, data } = memory;
          memory.data = {
            parts: { ...data.parts, [name]: { round } },
            log: [...data.log, `${name} in round ${String(round)}`],
          };
          const body = JSON.stringify({ data: memory.data, ...terms });
          const response = await fetch(url, { method: 'PUT', headers: headersOf(name), body });
          statuses.push(response.status);
        }),
      );
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    return must(await stage.operator.states.get(stateId)).current_data as unknown as Parts;
  }

  it('lose all parts but one where each write is taken as it comes', async () => {
    const { parts } = await play('lossy', {}, 1);
    expect(Object.keys(parts)).toHaveLength(1);
  });

  it('lose none where each names what it last read, whatever it sends from memory afterwards', async () => {
    const { parts, log } = await play('careful', { base_version: 'last_read' }, 3);
    expect(Object.keys(parts)).toHaveLength(CHILDREN);
    expect(Object.values(parts)).toEqual(Array.from({ length: CHILDREN }, () => ({ round: 3 })));
    expect(log).toHaveLength(1 + 3 * CHILDREN);
    expect(new Set(log).size).toBe(log.length);
  });

  it('lose none by the command line either, which names it for them', async () => {
    const { stateId, names } = await tree('cli', CHILDREN);
    const as = (name: string, ...args: string[]) =>
      runProgram(args, {
        env: { COUNTERSIGN_URL: stage.url, AGENT_SESSION_NAME: name, WORKFLOW_STATE_ID: stateId },
      });
    const memories = await Promise.all(
      names.map(async (name) => {
        const { stdout } = await as(name, 'state', 'get', '--data-only');
        return { name, data: JSON.parse(stdout) as Parts };
      }),
    );
    const ended = await Promise.all(
      memories.map(({ name, data }) =>
        as(name, 'state', 'set', JSON.stringify({ ...data, parts: { ...data.parts, [name]: {} } })),
      ),
    );
    expect(new Set(ended.map(({ code }) => code))).toEqual(new Set([0]));
    expect(ended.map(({ stdout }) => stdout).join('')).toContain('merged with what others wrote');
    const { current_data: data } = must(await stage.operator.states.get(stateId));
    expect(Object.keys((data as unknown as Parts).parts).sort()).toEqual([...names].sort());
    const blind = await as('cli', 'state', 'set', '{}');
    expect(blind).toMatchObject({ code: 5, stderr: expect.stringContaining('base_unknown') });
    expect(await as('cli', 'state', 'patch', '[{"op": "add", "path": "/blind", "value": 1}]')).toMatchObject({
      code: 0,
    });
    const [first = ''] = names;
    const clash = await as(first, 'state', 'set', '{"blind": 2, "parts": {}, "log": []}', '--base', '1');
    expect(clash).toMatchObject({ code: 5, stderr: expect.stringContaining('merge_conflict') });
    expect(clash.stderr).toContain('/blind: theirs 1, yours 2');
  });
});

interface Parts {
  readonly parts: Readonly<Record<string, unknown>>;
  readonly log: readonly string[];
}
