import { eventually } from '../../support/eventually.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/domain/limits.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const DAY_MS = 86_400_000;

describe('retention', () => {
  let harness: Harness;
  let id: string;
  const open = async (limits: Partial<Limits>) => {
    harness = await openHarness({ retentionStepMs: 1, retentionRoundMs: 5, ...limits });
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    const created = await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 1 } });
    id = must(created).state_id;
  };
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });
  const states = () => harness.operator.states;
  const writeUpTo = async (version: number) => {
    for (let n = must(await states().get(id)).version + 1; n <= version; n += 1)
      must(await states().mergePatch(id, { n }, {}));
  };
  const versions = async () => must(await states().events(id, {})).events.map((event) => event.version);

  it('keeps everything where nothing else is said', async () => {
    await open({});
    await writeUpTo(40);
    await harness.pass(400 * DAY_MS);
    expect(await versions()).toHaveLength(40);
    expect(must(await states().get(id, 1)).current_data).toEqual({ n: 1 });
  });

  describe('by number', () => {
    beforeEach(async () => {
      await open({ historyVersionsMax: 10, eventsPerSnapshotMax: 4, retentionRowsPerStepMax: 8 });
      await writeUpTo(60);
      await harness.pass(0);
      await harness.pass(0);
    });

    it('keeps at least so many versions, from a whole one on, and the chain', async () => {
      const kept = await versions();
      expect(kept.at(-1)).toBe(60);
      expect(kept.length).toBeGreaterThanOrEqual(10);
      expect(kept.length).toBeLessThan(10 + 4);
      for (const version of kept)
        expect(must(await states().get(id, version)).current_data).toEqual({ n: version });
    });

    it('refuses what is older by name, and says what there is', async () => {
      const [oldest = 0] = await versions();
      expect(oldest).toBeGreaterThan(40);
      const gone = { error: 'version_compacted', members: { version: 3, oldest_version: oldest } };
      expect(failure(await states().get(id, 3))).toMatchObject(gone);
      expect(failure(await states().getAt(id, '/n', 3))).toMatchObject(gone);
      expect(failure(await states().events(id, { since: 2 }))).toMatchObject(gone);
      expect(must(await states().events(id, { since: oldest - 1, limit: 1 })).events[0]?.version).toBe(
        oldest,
      );
      expect(failure(await states().get(id, 61)).error).toBe('version_not_found');
    });

    it('goes on as the state does, also after a restart', async () => {
      await harness.restart();
      await writeUpTo(80);
      await harness.pass(0);
      const kept = await versions();
      expect([kept.at(0)! > 60, kept.at(-1)]).toEqual([true, 80]);
      expect(must(await states().get(id)).current_data).toEqual({ n: 80 });
    });
  });

  it('by age keeps what is young, and always the newest version', async () => {
    await open({ historyAgeMsMax: DAY_MS, eventsPerSnapshotMax: 2 });
    await writeUpTo(9);
    await harness.pass(0);
    expect(await versions()).toHaveLength(9);
    await harness.pass(DAY_MS / 2);
    await writeUpTo(15);
    await harness.pass(DAY_MS / 2 + 1);
    const kept = await versions();
    expect(kept[0]).toBeGreaterThanOrEqual(9);
    expect(kept[0]).toBeLessThanOrEqual(10);
    await harness.pass(2 * DAY_MS);
    const left = await versions();
    expect(left.at(-1)).toBe(15);
    expect(left.length).toBeLessThanOrEqual(2);
    expect(must(await states().get(id)).current_data).toEqual({ n: 15 });
  });

  it('keeps archives of workflow records for their time, and no longer', async () => {
    await open({ workflowArchivesKeptMs: 30 * DAY_MS });
    must(await harness.operator.sessions.create({ session_name: 'orchestrator', external: true }));
    const state = must(
      await harness.operator.states.create({
        schema_name: 'orchestrator-workflow',
        initial_data: {},
        root_session_name: 'orchestrator',
      }),
    ).state_id;
    const { workflow } = harness.operator;
    must(await workflow.startInvocation(state, { agent: 'a', prompt: 'p', invocation_id: 'inv_1' }));
    must(await workflow.completeInvocation(state, 'inv_1', { status: 'completed', summary: 's' }));
    const { entry_id: archive = '' } = must(await workflow.compact(state, { keep: 0 }));
    await harness.pass(29 * DAY_MS);
    expect(must(await workflow.archive(state, archive)).count).toBe(1);
    await harness.pass(2 * DAY_MS);
    await eventually('it is removed', async () => !(await workflow.archive(state, archive)).ok);
    expect(failure(await workflow.archive(state, archive)).error).toBe('workflow_entry_not_found');
  });
});
