// What a session is told of another tree: the same as of what is nowhere. With the token of a real run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../../src/domain/errors.js';
import type { MaybePromise } from '../../../src/lib/maybe-promise.js';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

interface Named {
  readonly session: string;
  readonly state: string;
  readonly run: string;
  readonly callback: string;
  readonly webhook: string;
}

const NOWHERE: Named = {
  session: 'ses_nowhere',
  state: 'wfstate_nowhere',
  run: 'run_nowhere',
  callback: 'cb_nowhere',
  webhook: 'whk_nowhere',
};

const ASKS: Record<string, (mine: Countersign, named: Named) => MaybePromise<Result<unknown>>> = {
  'a session': (mine, { session }) => mine.sessions.get(session),
  'the tree below a session': (mine, { session }) => mine.sessions.tree(session),
  'the result of a session': (mine, { session }) => mine.sessions.result(session),
  'the state of a session': (mine, { session }) => mine.sessions.state(session),
  'the completion of a session': (mine, { session }) => mine.sessions.completion(session),
  'the callbacks of a session': (mine, { session }) => mine.sessions.pullCallbacks(session, 0),
  'a stop of a session': (mine, { session }) => mine.sessions.stop(session),
  'the removal of a session': (mine, { session }) => mine.sessions.remove(session),
  'a report for a session': (mine, { session }) => mine.sessions.report(session, { type: 'session_start' }),
  'the sessions of a tree': (mine, { session }) => mine.sessions.list({ root_session: session }),
  'a child of a session': (mine, { session }) => mine.sessions.create({ parent_session_name: session }),
  'a run': (mine, { run }) => mine.runs.get(run),
  'the stop of a run': (mine, { run }) => mine.runs.stop(run),
  'a resume of a session': (mine, { session }) =>
    mine.runs.create({ type: 'resume_session', session_name: session, prompt: 'obey' }),
  'the completions of a tree': (mine, { session }) => mine.sessions.completions({ root_session: session }),
  'the runs of a tree': (mine, { session }) => mine.runs.list({ root_session: session }),
  'the callbacks of a tree': (mine, { session }) => mine.callbacks.list({ root_session: session }),
  'the acknowledgement of a callback': (mine, { callback }) => mine.callbacks.acknowledge(callback),
  'a state': (mine, { state }) => mine.states.get(state),
  'a write of a state': (mine, { state }) => mine.states.replace(state, {}, {}),
  'the history of a state': (mine, { state }) => mine.states.events(state, {}),
  'a wait for a state': (mine, { state }) => mine.states.wait(state, { until: {} }),
  'the removal of a state': (mine, { state }) => mine.states.remove(state),
  'the states of a tree': (mine, { session }) => mine.states.list({ root_session: session }),
  'a state for a session': (mine, { session }) =>
    mine.states.create({ schema_name: 'any', initial_data: {}, root_session_name: session }),
  'the keys of a session': (mine, { session }) => mine.keys.all(session),
  'the stream of a state': (mine, { state }) => mine.streams.state(state, {}),
  'the stream of a tree': (mine, { session }) => mine.streams.all({ rootSession: session }, {}),
  'a webhook': (mine, { webhook }) => mine.webhooks.get(webhook),
  'the removal of a webhook': (mine, { webhook }) => mine.webhooks.remove(webhook),
  'the deliveries of a webhook': (mine, { webhook }) => mine.webhooks.deliveries(webhook, {}),
  'a webhook on a state': (mine, { state }) =>
    mine.webhooks.create({ url: 'https://ci.example/', events: ['run_updated'], state_id: state }),
  'a webhook on a tree': (mine, { session }) =>
    mine.webhooks.create({ url: 'https://ci.example/', events: ['run_updated'], root_session: session }),
};

describe('of another tree a session hears what it hears of nothing', () => {
  let harness: Harness;
  let mine: Countersign;
  let foreign: Named;

  beforeAll(async () => {
    harness = await openHarness({}, true);
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const start = (name: string, more: object = {}) =>
      operator.runs.create({ type: 'start_session', session_name: name, prompt: 'go', ...more });
    must(await start('mine'));
    const run = must(await start('other'));
    must(await start('kid', { parent_session_name: 'other', callback: true }));
    const root = { schema_name: 'any', initial_data: {}, root_session_name: 'other' };
    const state = must(await operator.states.create(root));
    // Of an event that does not come: a delivery would change the database meanwhile.
    const events = ['workflow_state_deleted' as const];
    const hook = { url: 'https://ci.example/', events, root_session: 'other' };
    foreign = {
      session: 'other',
      state: state.state_id,
      run: run.run_id,
      callback: must(await operator.callbacks.list({})).items[0]!.callback_id,
      webhook: must(await operator.webhooks.create(hook)).webhook_id,
    };
    const claimed = await (await PlayedRunner.register(harness)).claim();
    const bearer = claimed.find((one) => one.session_name === 'mine')!.environment['COUNTERSIGN_TOKEN']!;
    mine = harness.service.as(
      must(await harness.service.identify({ bearer, sessionId: null, sessionName: null })),
    );
  });
  afterAll(() => harness.close());

  it.each(Object.entries(ASKS))('of %s', async (_, ask) => {
    const replyTo = async (named: Named) => {
      const text = JSON.stringify(failure(await ask(mine, named)));
      return Object.values(named).reduce((rest: string, name) => rest.replaceAll(name, 'NAME'), text);
    };
    const before = harness.dump();
    const here = await replyTo(foreign);
    expect(here).toBe(await replyTo(NOWHERE));
    expect(here).toMatch(/"error":"[a-z]+_not_found"/);
    expect(harness.dump()).toBe(before);
  });

  it('also by a hook, which neither binds nor ends a session of another tree', async () => {
    const before = harness.dump();
    const event = { session_id: 'c1', transcript_path: '/t', cwd: '/', source: 'startup' };
    const start = { ...event, hook_event_name: 'SessionStart' };
    const result = await mine.hooks.answer('claude-code', start, { session: 'other' });
    expect(failure(result).error).toBe('session_exists');
    const stop = { ...event, hook_event_name: 'Stop' };
    expect(failure(await mine.hooks.answer('claude-code', stop, { session: 'other' })).error).toBe(
      'session_not_found',
    );
    expect(harness.dump()).toBe(before);
  });

  it.each<[string, (named: string) => MaybePromise<Result<unknown>>]>([
    ['sessions under a parent', (named) => mine.sessions.list({ parent_session: named })],
    ['callbacks of a child', (named) => mine.callbacks.list({ child_session: named })],
    ['runs of a session', (named) => mine.runs.list({ session: named })],
  ])('in a list of %s, by name and by id', async (_, ask) => {
    const kid = must(await harness.operator.sessions.get('kid')).session_id;
    const reportOf = async (name: string) =>
      JSON.stringify(failure(await ask(name))).replaceAll(name, 'NAME');
    expect(await reportOf('kid')).toBe(await reportOf('nobody'));
    expect(await reportOf('kid')).toContain('session_not_found');
    // A deleted session is still known by its id, so an id that is nowhere has an empty list.
    expect(must(await ask(kid))).toEqual({ items: [], next_cursor: null });
    expect(must(await ask('ses_nowhere'))).toEqual({ items: [], next_cursor: null });
  });

  it('nor how many runs of other trees a runner has', async () => {
    expect(must(await harness.operator.runners.list()).items).toMatchObject([{ active_runs: 3 }]);
    expect(must(await mine.runners.list()).items).toMatchObject([{ active_runs: 1 }]);
  });

  it('but that a name is taken, whichever tree has it', async () => {
    const before = harness.dump();
    for (const session_name of ['other', 'kid', 'mine']) {
      expect(failure(await mine.sessions.create({ session_name }))).toEqual({
        error: 'session_exists',
        detail: `The session id or name ${session_name} is taken.`,
        members: { session: session_name },
      });
    }
    expect(harness.dump()).toBe(before);
  });
});
