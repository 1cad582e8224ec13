import { afterEach, describe, expect, it } from 'vitest';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const KIB = 1024;
/** What the coordinator may write into one file, and how much comes with a write. */
const FILE_BYTES_MAX = 2048 * KIB;
const WRITE_BYTES = 64 * KIB;

describe('a coordinator whose database cannot grow', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage | null = null;
  afterEach(() => stage?.close());

  it('says so, keeps what it has acknowledged, and goes on when there is room', async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const { state_id } = must(await stage.operator.states.create({ schema_name: 'any', initial_data: {} }));
    await stage.coordinator.end();
    // In blocks of 512 bytes. It takes no rights and fails like a full disk: a write ends short, the next not at all.
    await stage.startCoordinator([], { before: `ulimit -f ${String(FILE_BYTES_MAX / 512)}` });

    const at = `${stage.url}/workflow-states/${state_id}`;
    const write = (n: number) =>
      fetch(at, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ latest: n, text: 'x'.repeat(WRITE_BYTES) + String(n) }),
      });
    let acknowledged = 0;
    let refused: Response | null = null;
    while (refused === null && acknowledged * WRITE_BYTES < 4 * FILE_BYTES_MAX) {
      const answer = await write(acknowledged + 1);
      if (answer.ok) acknowledged += 1;
      else refused = answer;
    }
    expect(acknowledged).toBeGreaterThan(0);
    expect(refused?.status).toBe(507);
    expect(await refused?.json()).toMatchObject({ error: 'storage_full' });
    expect(must(await stage.operator.states.get(state_id)).current_data).toMatchObject({
      latest: acknowledged,
    });
    expect((await fetch(`${stage.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${stage.url}/healthz`)).status).toBe(200);

    await stage.coordinator.end('SIGKILL');
    await stage.startCoordinator();
    const { version, current_data } = must(await stage.operator.states.get(state_id));
    expect(version).toBe(1 + acknowledged);
    expect(current_data).toMatchObject({ latest: acknowledged });
    expect((await write(acknowledged + 1)).status).toBe(200);
    expect((await stage.command('doctor')).code).toBe(0);
  });
});
