// How long the token counts that a hook gives to a client's session: for one start of it, until the client ends or gives no
// more signs of life. With the hooks of every client.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENT_CLIENT_NAMES, agentClient, type AgentClientName } from '../../../src/agent-clients/index.js';
import type { Hook } from '../../../src/domain/hooks/clients.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const HOUR_MS = 3_600_000;
const SILENCE_MS = 4 * HOUR_MS;

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness({}, true);
});
afterEach(() => harness.close());

type Caller = Harness['operator'];

/** The hooks of one conversation. @param session - The name in its environment; the client's own id without one. */
function conversation(client: AgentClientName, id: string, session?: string) {
  const options = session === undefined ? {} : { session };
  const say = async (hook: Hook, more: object = {}, as: Caller = harness.operator) => {
    const input = { hook_event_name: agentClient(client).hooks.events[hook] ?? '', session_id: id, ...more };
    return must(await as.hooks.answer(client, input, options));
  };
  const start = async (more: object = { source: 'startup' }, as?: Caller) =>
    (await say('session-start', more, as)).environment?.['COUNTERSIGN_TOKEN'] ?? '';
  return { say, start, end: (reason = 'other') => say('session-end', { reason }) };
}

const identify = (bearer: string) => harness.service.identify({ bearer, sessionId: null, sessionName: null });
const as = async (bearer: string): Promise<Caller> => harness.service.as(must(await identify(bearer)));
/** Refused, and nothing is written. */
async function isOver(bearer: string): Promise<void> {
  const before = harness.dump();
  expect(failure(await identify(bearer)).error).toBe('unauthorized');
  await harness.pass(0);
  expect(harness.dump()).toBe(before);
}

async function child(name: string): Promise<void> {
  const { sessions } = harness.operator;
  must(await sessions.create({ session_name: `parent-of-${name}`, external: true }));
  const promised = { external: true, parent_session_name: `parent-of-${name}` };
  must(await sessions.create({ session_name: name, ...promised }));
}

describe.each(AGENT_CLIENT_NAMES)('the token of a session of %s', (client) => {
  it.each(['root', 'child', 'child that is done', 'conversation'])(
    'ends with its client: a %s',
    async (what) => {
      const name = what === 'conversation' ? undefined : `by-hand-${client}`;
      if (what.startsWith('child') && name !== undefined) await child(name);
      const { say, start, end } = conversation(client, 'c-1', name);
      const first = await start();
      must(await identify(first));
      if (what === 'child that is done') await say('stop');
      must(await identify(first));
      await end();
      await isOver(first);
      // What comes late from the ended client brings nothing back.
      await say('stop');
      await say('pre-tool-use', { tool_name: 'write', tool_input: {} });
      await isOver(first);
      const second = await start({ source: 'resume' });
      must(await identify(second));
      await isOver(first);
      await end();
      await isOver(second);
    },
  );

  it('ends when another conversation takes its place, and not with the end of the one before', async () => {
    const [left, right] = [conversation(client, 'c-1', 'taken'), conversation(client, 'c-2', 'taken')];
    const first = await left.start();
    harness.clock.advance(1);
    const second = await right.start();
    await isOver(first);
    await left.end();
    must(await identify(second));
  });

  it('is that of the next conversation in the same window', async () => {
    const [before, after] = [conversation(client, 'c-1', 'cleared'), conversation(client, 'c-2', 'cleared')];
    const first = await before.start();
    await before.end('clear');
    await isOver(first);
    harness.clock.advance(1);
    const second = await after.start({ source: 'clear' });
    must(await identify(second));
    await isOver(first);
    // Compacted, the work goes on, and so does what has the token already.
    must(await identify(await after.start({ source: 'compact' })));
    must(await identify(second));
  });

  it('counts for a client that was started with it, until that ends', async () => {
    const launcher = conversation(client, 'c-1', 'launched');
    const bearer = await launcher.start();
    const own = await as(bearer);
    for (const id of ['c-2', 'c-3']) {
      harness.clock.advance(1);
      const { start, say } = conversation(client, id, 'launched');
      expect(await start({ source: 'startup' }, own)).toBe('');
      must(await identify(bearer));
      await say('session-end', { reason: 'clear' }, own);
      must(await identify(bearer));
    }
    await conversation(client, 'c-3', 'launched').say('session-end', { reason: 'other' }, own);
    await isOver(bearer);
  });

  it('of one that was killed ends when it gives no sign of life, and counts again with its next hook', async () => {
    const { say, start } = conversation(client, 'c-1', 'killed');
    const bearer = await start();
    const state = { schema_name: 'any', initial_data: {}, root_session_name: 'killed' };
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await harness.operator.states.create(state));
    harness.clock.advance(SILENCE_MS);
    // A request is a sign of life, and so is each end of a turn.
    must(await identify(bearer));
    await harness.pass(0);
    harness.clock.advance(SILENCE_MS);
    await say('stop');
    harness.clock.advance(SILENCE_MS);
    must(await identify(bearer));
    await harness.pass(0);
    harness.clock.advance(SILENCE_MS + 1);
    await isOver(bearer);
    await say('stop');
    must(await identify(bearer));
  });
});

describe('the token of a session', () => {
  it('of a child that was killed ends, too, whether its work is done or not', async () => {
    for (const done of [true, false]) {
      const name = `killed-${String(done)}`;
      await child(name);
      const { say, start } = conversation('codex', `c-${name}`, name);
      const bearer = await start();
      if (done) await say('stop');
      harness.clock.advance(SILENCE_MS);
      must(await identify(bearer));
      await harness.pass(0);
      harness.clock.advance(SILENCE_MS + 1);
      await isOver(bearer);
    }
  });

  it('that has a heartbeat timeout of its own ends after that, or never', async () => {
    for (const [name, timeout_ms] of [
      ['short', 60_000],
      ['never', 0],
    ] as const) {
      const body = { session_name: name, external: true, heartbeat_timeout_ms: timeout_ms };
      must(await harness.operator.sessions.create(body));
    }
    const short = await conversation('codex', 'c-1', 'short').start();
    const never = await conversation('codex', 'c-2', 'never').start();
    harness.clock.advance(60_001);
    await isOver(short);
    harness.clock.advance(23 * HOUR_MS);
    must(await identify(never));
  });

  it('ends with the event session_end over the API', async () => {
    const bearer = await conversation('codex', 'c-1', 'told').start();
    must(await (await as(bearer)).sessions.report('told', { type: 'session_end' }));
    await isOver(bearer);
    expect(must(await harness.operator.sessions.get('told'))).not.toHaveProperty('last_heartbeat_at');
  });

  it('is that of a new start over the API, which the session itself does not report', async () => {
    const { start } = conversation('codex', 'c-1', 'resumed');
    const bearer = await start();
    harness.clock.advance(1);
    must(await (await as(bearer)).sessions.report('resumed', { type: 'session_start' }));
    must(await identify(bearer));
    must(await harness.operator.sessions.report('resumed', { type: 'session_start' }));
    await isOver(bearer);
  });
});
