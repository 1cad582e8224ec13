// Rows whose places and numbers were edited by hand: nothing follows them for ever, and the others are served.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, type Harness } from '../service/harness.js';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness.close();
});

describe('sessions whose parents form a circle', () => {
  beforeEach(async () => {
    const { sessions } = harness.operator;
    must(await sessions.create({ session_name: 'root', external: true }));
    must(await sessions.create({ session_name: 'upper', parent_session_name: 'root', external: true }));
    must(await sessions.create({ session_name: 'lower', parent_session_name: 'upper', external: true }));
  });

  it.each([
    ['upper', ['lower']],
    ['lower', ['upper']],
  ])('are shown once each in the tree of %s', async (top, below) => {
    harness.tamper(
      `update sessions set parent_session_id = (select session_id from sessions where session_name = 'lower')
        where session_name = 'upper'`,
    );
    await harness.restart();
    const { session_name, children } = must(await harness.operator.sessions.tree(top));
    expect([session_name, children.map((one) => one.session_name)]).toEqual([top, below]);
    expect(children.flatMap((one) => one.children)).toEqual([]);
  });

  it('are shown once where a session is its own parent', async () => {
    harness.tamper("update sessions set parent_session_id = session_id where session_name = 'lower'");
    await harness.restart();
    expect(must(await harness.operator.sessions.tree('lower'))).toMatchObject({
      session_name: 'lower',
      children: [],
    });
  });

  it('are named by doctor', async () => {
    harness.tamper("update sessions set parent_session_id = session_id where session_name = 'lower'");
    await harness.restart();
    const { findings } = must(await harness.operator.operations.doctor());
    expect(findings.map(({ check }) => check)).toContain('copy_agrees');
  });
});
