// Compaction with the built program that is killed in the middle: each invocation is in the record or in one archive.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Result } from '../../../src/domain/errors.js';
import { pause, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

describe('a workflow record whose coordinator is killed', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  /** Asks until there is an answer: while the coordinator is away there is none. */
  async function answered<T>(ask: () => Promise<Result<T>>): Promise<T> {
    for (;;) {
      try {
        return must(await ask());
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ConnectionError') throw error;
        await pause(20);
      }
    }
  }

  it.each([10, 20, 50])('has lost none of %i invocations', async (total) => {
    const root = `root-${String(total)}`;
    must(await stage.operator.sessions.create({ session_name: root, external: true }));
    const body = { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: root };
    const { state_id: stateId } = must(await stage.operator.states.create(body));
    const { workflow, states } = stage.operator;
    const ids = Array.from({ length: total }, (_, at) => `inv_${String(at)}`);
    const progress = { answers: 0, over: false };
    const kills = (async () => {
      let kill = 0;
      do {
        kill += 1;
        // Every few answers, and so at each point of a compaction sooner or later.
        const [before, wanted] = [progress.answers, 3 + ((kill * 5) % 7)];
        while (!progress.over && progress.answers < before + wanted) await pause(1);
        await stage.coordinator.end('SIGKILL');
        await stage.startCoordinator();
      } while (!progress.over);
    })();
    // Several at a time: compactions come while others write.
    const next = ids.values();
    const work = async () => {
      for (const id of next) {
        const start = { agent: 'coder', prompt: `Task ${id}.`, invocation_id: id };
        await answered(() => workflow.startInvocation(stateId, start));
        progress.answers += 1;
        await answered(() =>
          workflow.completeInvocation(stateId, id, { status: 'completed', summary: `Done ${id}.` }),
        );
        progress.answers += 1;
      }
    };
    try {
      await Promise.all([work(), work(), work()]);
    } finally {
      progress.over = true;
      await kills;
    }
    const document = must(await states.get(stateId)).current_data;
    const record = document['orchestrator_workflow'] as JsonObject;
    const history = record['agent_history'] as JsonObject[];
    const archives = await Promise.all(
      (record['compaction_history'] as { archive_id: string }[]).map(async ({ archive_id: id }) =>
        must(await workflow.archive(stateId, id)),
      ),
    );
    const all = [...archives.flatMap(({ invocations }) => invocations), ...history];
    expect(all.map(({ invocation_id: id }) => id).sort()).toEqual(ids.toSorted());
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['completed']));
    expect(history.length).toBeLessThanOrEqual(10);
    expect(archives.length > 0).toBe(total > 10);
  });
});
