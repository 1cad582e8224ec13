// The main job on several coordinators of one PostgreSQL database, each with a runner of its own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import type { Part } from '../../support/agents.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { newMigratedDatabase } from '../../support/postgres.js';
import { Program } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';
import { parts } from '../parts.js';
import { Tree } from '../tree.js';

/** Never ends its work where it calls the coordinator that its prompt names; records when it is asked. */
const stuck: Part = async (agent) => {
  if (agent.purpose === 'state_update') {
    await agent.add(`/${agent.name}`, { by: agent.name });
    return;
  }
  if (!agent.prompt.includes(String(process.env['COUNTERSIGN_URL']))) {
    agent.say(`prose of ${agent.name}`);
    return;
  }
  agent.heedSigterm();
  agent.note({ began: process.pid });
  await agent.sleep(120_000);
};

/** Short, because a test waits for its end; long enough that a busy machine loses none. */
const LEASE_MS = 15_000;

describe('two coordinators on one PostgreSQL database', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let otherUrl: string;
  let others: Program[];
  /** A coordinator beside that of the stage, with a runner of its own. */
  const startOther = async (db: string, flags: readonly string[]) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}`;
    const quiet = ['--log-level', 'warn'];
    const coordinator = await Program.start([
      ...['serve', '--port', String(port), '--db', db, ...quiet],
      ...flags,
    ]);
    others.push(coordinator);
    await coordinator.printed(/ready at/);
    const runner = await Program.start([
      ...['runner', '--url', url, '--exec', stage.agents.exec, '--project-dir', stage.dir, ...quiet],
      ...['--concurrent', '8', '--tag', 'other'],
    ]);
    others.push(runner);
    await runner.printed(/is ready for/);
    return url;
  };
  beforeAll(async () => {
    others = [];
    const db = await newMigratedDatabase();
    const serve = ['--update-retry-delay-ms', '20', '--lease-ms', String(LEASE_MS)];
    stage = await Stage.open({ db, serve, runner: ['--tag', 'first'] });
    stage.agents.cast({ ...parts, stuck });
    otherUrl = await startOther(db, serve);
  });
  afterAll(async () => {
    await Promise.all(others.map((program) => program.end('SIGKILL')));
    const doctor = await stage.command('doctor', '--db', stage.db);
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  it('tell a parent of its children once, wherever each of them worked', async () => {
    const children = ['first', 'other', 'first', 'other'].map((tag, i) => ({
      name: `child-${String(i)}-${tag}`,
      part: 'dutiful',
      demands: { tags: [tag] },
    }));
    const tree = await Tree.grow(stage, children, children.length);
    const delivered = await tree.told();
    await tree.delivered(children.length);
    const texts = delivered.map((note) => note.told).join();
    for (const { name } of children) expect(texts.split(`Child session ${name} completed`)).toHaveLength(2);
    const document = Object.fromEntries(children.map(({ name }) => [name, { by: name }]));
    expect(delivered.at(-1)!.document).toEqual(document);
    const other = createClient({ url: otherUrl, retry: false });
    expect(must(await other.callbacks.list({ root_session: tree.root })).items).toHaveLength(4);
  });

  it('go on where one is killed: what its runner had is done by the other, and the parent is told once', async () => {
    const name = 'interrupted';
    const child = { name, part: 'stuck', prompt: `never at ${stage.url}`, demands: { tags: ['first'] } };
    const tree = await Tree.grow(stage, [child, { name: 'beside', part: 'dutiful' }]);
    await tree.reached(name, 'began');
    // What the root itself does is not interrupted: a run that is done again may note the same again.
    await tree.told();
    await tree.session(tree.root, ({ status }) => status === 'finished');
    await stage.coordinator.end('SIGKILL');
    // The run demands a runner of the coordinator that is gone: one with the same tag joins the other coordinator.
    const joined = await Program.start([
      ...['runner', '--url', otherUrl, '--exec', stage.agents.exec, '--project-dir', stage.dir],
      ...['--tag', 'first', '--log-level', 'warn'],
    ]);
    others.push(joined);
    const other = createClient({ url: otherUrl, retry: false });
    await eventually('both callbacks are delivered', async () => {
      const { items } = must(await other.callbacks.list({ root_session: tree.root }));
      return items.length === 2 && items.every(({ status }) => status === 'delivered');
    });
    await tree.told(2);
    await eventually('the root is done', async () => {
      const { status } = must(await other.sessions.get(tree.root));
      return status === 'finished';
    });
    const texts = (await tree.told(2)).map((note) => note.told).join();
    for (const one of [name, 'beside']) expect(texts.split(`Child session ${one} completed`)).toHaveLength(2);
    const state = must(await other.states.list({ root_session: tree.root })).items[0];
    const { current_data } = must(await other.states.get(String(state?.state_id)));
    expect(current_data).toEqual({ [name]: { by: name }, beside: { by: 'beside' } });
  });
});
