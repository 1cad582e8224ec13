// A child's recorded result that a sibling destroys before the parent is told of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const RESULT = { verdict: 'approved' };
const SCHEMA = { type: 'object', required: ['verdict'] };

describe('a result that a sibling destroys before its child is done', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let count = 0;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  /** A parent with two children, of whom one has recorded its result while it worked. */
  async function aTree(mode: 'always' | 'unless_satisfied') {
    count += 1;
    const [parent, child, sibling] = ['parent', 'child', 'sibling'].map(
      (who) => `${who}-${String(count)}`,
    ) as [string, string, string];
    must(await stage.operator.sessions.create({ session_name: parent, external: true }));
    const state = await stage.as(parent).states.create({ schema_name: 'any', initial_data: { parts: {} } });
    const { state_id: stateId } = must(state);
    for (const name of [child, sibling]) {
      const completion = { mode, max_attempts: 2, contract: { pointer: `/parts/${name}`, schema: SCHEMA } };
      must(
        await stage
          .as(parent)
          .sessions.create({ session_name: name, external: true, callback: true, completion }),
      );
    }
    const write = async (who: string, parts: object) =>
      must(await stage.as(who).states.mergePatch(stateId, { parts: parts as Record<string, never> }, {}));
    const stops = async () =>
      must(await stage.as(child).sessions.report(child, { type: 'session_stop', result_text: 'done' }));
    const completion = async () => must(await stage.operator.sessions.completion(child));
    const callbacks = async () => must(await stage.as(parent).sessions.pullCallbacks(parent, 5000)).items;
    await write(child, { [child]: RESULT });
    return { child, sibling, write, stops, completion, callbacks };
  }

  it('is seen at once, by whom and in which version, and until it is whole again', async () => {
    const { child, sibling, write, completion } = await aTree('always');
    expect((await completion()).contract_broken).toBeNull();
    await write(sibling, { [sibling]: RESULT });
    expect((await completion()).contract_broken).toBeNull();
    const { version } = await write(sibling, { [child]: { verdict: null } });
    const { contract_broken: broken, attempts, state_update_status: status } = await completion();
    expect(broken).toMatchObject({ by: sibling, version, errors: [{ pointer: `/parts/${child}` }] });
    expect([attempts.length, status]).toEqual([0, null]);
    await write(sibling, { [child]: RESULT });
    expect((await completion()).contract_broken).toBeNull();
  });

  it.each(['a deletion', 'an overwrite of all', 'a move away', 'a revert'])(
    'is seen through %s',
    async (how) => {
      const { child, sibling, completion } = await aTree('always');
      const { states } = stage.as(sibling);
      const { state_id: stateId } = must(await stage.operator.sessions.state(child));
      const path = `/parts/${child}`;
      const { version } = must(
        await {
          'a deletion': () => states.ops(stateId, [{ op: 'delete', pointer: path }], {}),
          'an overwrite of all': () => states.replace(stateId, { parts: {} }, {}),
          'a move away': () => states.patch(stateId, [{ op: 'move', from: path, path: '/parts/mine' }], {}),
          'a revert': () => states.revert(stateId, 1, {}),
        }[how]!(),
      );
      expect((await completion()).contract_broken).toMatchObject({ by: sibling, version });
    },
  );

  it('has its child asked for it again, with what is wrong and who did it, and no attempt lost', async () => {
    const { child, sibling, write, stops, completion, callbacks } = await aTree('unless_satisfied');
    const { version } = await write(sibling, { [child]: null });
    const { state_update_status: status, request } = await stops();
    expect([status, request?.attempt, request?.of]).toEqual(['pending', 1, 2]);
    expect(request?.prompt).toContain(
      `the session ${sibling} changed that place in version ${String(version)}`,
    );
    await write(child, { [child]: RESULT });
    expect((await completion()).contract_broken).toBeNull();
    const [callback] = await callbacks();
    expect(callback?.metadata).toMatchObject({ callback_source: child, state_update_status: 'completed' });
  });

  it('is told to the parent where nobody has repaired it', async () => {
    const { child, sibling, write, stops, callbacks } = await aTree('always');
    await stops();
    const { version } = await write(sibling, { [child]: null });
    await stops();
    await stops();
    const [callback] = await callbacks();
    expect(callback?.metadata).toMatchObject({ callback_source: child, state_update_status: 'failed' });
    expect(callback?.message).toContain(
      `the session ${sibling} changed that place in version ${String(version)}`,
    );
  });
});
