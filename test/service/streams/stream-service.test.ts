import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { StreamEvent } from '../../../src/ports/api/index.js';
import type { EventStream, StreamOptions } from '../../../src/ports/service.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

/** Takes from a stream until it has what is asked for, or it ends. */
class Listener {
  readonly heard: StreamEvent[] = [];
  readonly #abort = new AbortController();
  readonly options = (over: StreamOptions = {}): StreamOptions => ({ ...over, signal: this.#abort.signal });

  /** @param until - Looked at after each step of the stream. */
  async take(stream: EventStream, until: (heard: readonly StreamEvent[]) => boolean): Promise<this> {
    for await (const events of stream) {
      this.heard.push(...events);
      if (until(this.heard)) break;
    }
    this.#abort.abort();
    return this;
  }
  versions() {
    return this.heard.flatMap(({ event, data }) =>
      event === 'workflow_state_updated' ? [data.version] : [],
    );
  }
  names() {
    return this.heard.map(({ event }) => event);
  }
}

const membersOf = (event: StreamEvent | undefined) => ({ ...event?.data }) as JsonObject;
const upTo = (version: number) => (heard: readonly StreamEvent[]) =>
  Number(membersOf(heard.at(-1))['version']) >= version;

describe('a stream', () => {
  let harness: Harness;
  let id: string;
  beforeEach(async () => {
    harness = await openHarness({
      streamBookmarkMs: 10,
      streamsMax: 3,
      streamEventsPerStepMax: 4,
      eventsPerSnapshotMax: 4,
      retentionStepMs: 1,
      retentionRoundMs: 2,
      historyVersionsMax: 30,
    });
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    id = must(
      await harness.operator.states.create({
        schema_name: 'plan',
        initial_data: { n: 1 },
        root_session_name: 'root',
      }),
    ).state_id;
  });
  afterEach(() => harness.close());
  const writeUpTo = async (version: number) => {
    for (let n = must(await harness.operator.states.get(id)).version + 1; n <= version; n += 1)
      must(await harness.operator.states.mergePatch(id, { n }, {}));
  };
  const follow = async (over: StreamOptions, until: (heard: readonly StreamEvent[]) => boolean) => {
    const listener = new Listener();
    const stream = must(await harness.operator.streams.state(id, listener.options(over)));
    return listener.take(stream, until);
  };

  describe('of a state', () => {
    it('says where it begins, then gives every version once and in order, as it comes', async () => {
      const listening = follow({}, upTo(20));
      await writeUpTo(20);
      const { heard } = await listening;
      expect(heard[0]).toEqual({ id: '1', event: 'bookmark', data: {} });
      const updates = heard.filter(({ event }) => event === 'workflow_state_updated');
      expect(updates.map((one) => one.id)).toEqual(Array.from({ length: 19 }, (_, i) => String(i + 2)));
      expect(updates[0]?.data).toMatchObject({
        state_id: id,
        version: 2,
        patch: [{ op: 'replace', path: '/n', value: 2 }],
        updated_by_session: null,
        timestamp: '2026-01-01T00:00:00.000Z',
      });
    });

    it('gives the past from any place, in pages, and goes over to the present without a gap', async () => {
      await writeUpTo(15);
      for (const after of [0, 1, 7, 14]) {
        const listening = follow({ after: String(after) }, upTo(25));
        await writeUpTo(must(await harness.operator.states.get(id)).version + 2);
        void writeUpTo(25);
        const listener = await listening;
        const first = after + 1;
        // The last page may go on behind version 25: changes in quick succession come together.
        const versions = listener.versions().filter((version) => version <= 25);
        expect(versions).toEqual(Array.from({ length: 25 - after }, (_, i) => first + i));
      }
    });

    it('begins with the whole state where that is asked for, unless a place is named', async () => {
      await writeUpTo(3);
      const first = (await follow({ snapshot: true }, (heard) => heard.length > 0)).heard[0];
      expect(first).toMatchObject({
        id: '3',
        event: 'snapshot',
        data: { version: 3, current_data: { n: 3 } },
      });
      const resumed = await follow({ snapshot: true, after: '1' }, upTo(3));
      expect(resumed.names()).toEqual(['bookmark', 'workflow_state_updated', 'workflow_state_updated']);
    });

    it('says where it is while nothing happens', async () => {
      const { heard } = await follow({}, (events) => events.length === 3);
      expect(heard.map((one) => [one.event, one.id])).toEqual(Array(3).fill(['bookmark', '1']));
    });

    it('ends with a reason when the state is deleted, and when the service stops', async () => {
      const ended = (heard: readonly StreamEvent[]) => heard.at(-1)?.event === 'dropped';
      const stopping = follow({}, ended);
      await new Promise((resolve) => setTimeout(resolve, 15));
      await harness.restart();
      expect((await stopping).heard.at(-1)).toMatchObject({ event: 'dropped', data: { reason: 'stopping' } });
      const deleted = follow({}, ended);
      await new Promise((resolve) => setTimeout(resolve, 15));
      must(await harness.operator.states.remove(id));
      expect((await deleted).heard.at(-1)).toMatchObject({
        data: { reason: 'refused', error: 'state_not_found' },
      });
    });

    it('is refused before the kept history and beyond the present', async () => {
      await writeUpTo(60);
      await harness.pass(0);
      const gone = failure(await harness.operator.streams.state(id, { after: '2' }));
      expect(gone).toMatchObject({ error: 'version_compacted' });
      const oldest = Number(gone.members['oldest_version']);
      expect((await follow({ after: String(oldest - 1) }, upTo(60))).versions()[0]).toBe(oldest);
      expect(failure(await harness.operator.streams.state(id, { after: '61' })).error).toBe(
        'version_not_found',
      );
      expect(failure(await harness.operator.streams.state(id, { after: 'x' })).error).toBe('invalid_request');
    });

    it('ends where its reader stood still until the history was cut under it', async () => {
      const listener = new Listener();
      const stream = must(await harness.operator.streams.state(id, listener.options({ after: '0' })));
      const steps = stream[Symbol.asyncIterator]();
      await steps.next();
      await steps.next();
      await writeUpTo(70);
      await harness.pass(0);
      const { value } = await steps.next();
      expect(value).toMatchObject([
        { event: 'dropped', data: { reason: 'refused', error: 'version_compacted' } },
      ]);
      expect((await steps.next()).done).toBe(true);
    });

    it('is bounded in number, and gives its place back', async () => {
      const stop = new AbortController();
      const open = () => harness.operator.streams.state(id, { signal: stop.signal });
      const streams = [must(await open()), must(await open()), must(await open())];
      expect(failure(await open())).toMatchObject({ error: 'overloaded', members: { limit: 'streamsMax' } });
      stop.abort();
      for (const stream of streams) for await (const events of stream) expect(events).toHaveLength(1);
      must(await harness.operator.streams.state(id));
    });
  });

  describe('of everything', () => {
    const followAll = async (
      filter: { rootSession?: string; stateId?: string },
      over: StreamOptions,
      until: (heard: readonly StreamEvent[]) => boolean,
      as = harness.operator,
    ) => {
      const listener = new Listener();
      return listener.take(must(await as.streams.all(filter, listener.options(over))), until);
    };
    const has =
      (name: string, count = 1) =>
      (heard: readonly StreamEvent[]) =>
        heard.filter(({ event }) => event === name).length >= count;

    /** A child works, is asked, records, and its parent hears of it. */
    const story = async () => {
      const runner = await PlayedRunner.register(harness);
      must(
        await harness.operator.runs.create({
          type: 'start_session',
          session_name: 'child',
          prompt: 'Work.',
          parent_session_name: 'root',
          callback: true,
        }),
      );
      await runner.complete(await runner.take());
      await harness.pass(10_000);
      const update = await runner.take();
      must(await (await harness.as('child')).states.mergePatch(id, { done: true }, {}));
      await runner.complete(update);
    };

    it('tells of sessions, runs, completions and callbacks among the changes of states', async () => {
      const start = must(await harness.operator.streams.all({}));
      const listening = new Listener().take(start, has('callback_updated', 2));
      await story();
      const { heard } = await listening;
      const valuesOf = (name: string, member: string) =>
        heard.filter(({ event }) => event === name).map((event) => membersOf(event)[member]);
      expect(valuesOf('session_updated', 'status')).toEqual(
        expect.arrayContaining(['pending', 'running', 'finished']),
      );
      expect(valuesOf('run_updated', 'status')).toEqual(
        expect.arrayContaining(['pending', 'claimed', 'running', 'completed']),
      );
      expect(valuesOf('completion_updated', 'state_update_status')).toEqual(
        expect.arrayContaining(['pending', 'completed']),
      );
      expect(valuesOf('callback_updated', 'status')).toEqual(['held', 'queued']);
      expect(valuesOf('workflow_state_updated', 'version')).toEqual([2]);
    });

    it('goes on after any id without a gap and without anything twice, also after a restart', async () => {
      await story();
      const whole = (await followAll({}, { after: '0-0' }, has('bookmark', 2))).heard.filter(
        ({ event }) => event !== 'bookmark',
      );
      expect(whole.length).toBeGreaterThan(10);
      expect(new Set(whole.map((one) => one.id)).size).toBe(whole.length);
      await harness.restart();
      for (let at = 0; at < whole.length; at += 3) {
        const rest = await followAll({}, { after: whole[at]?.id }, has('bookmark', 2));
        expect(rest.heard.filter(({ event }) => event !== 'bookmark')).toEqual(whole.slice(at + 1));
      }
    });

    it('shows a session its own tree only', async () => {
      must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
      const other = must(
        await harness.operator.states.create({
          schema_name: 'plan',
          initial_data: {},
          root_session_name: 'other',
        }),
      );
      await story();
      const stranger = await harness.as('other');
      const { heard } = await followAll({}, { after: '0-0' }, has('bookmark', 2), stranger);
      const roots = heard.map(membersOf).flatMap((data) => data['root_session_id'] ?? data['state_id'] ?? []);
      expect(new Set(roots)).toEqual(new Set([other.root_session_id, other.state_id]));
      expect(failure(await stranger.streams.all({ rootSession: 'root' })).error).toBe('session_not_found');
      expect(failure(await stranger.streams.all({ stateId: id })).error).toBe('state_not_found');
      expect(failure(await stranger.streams.state(id)).error).toBe('state_not_found');
    });

    it('of one tree or one state holds nothing else, and moves on past the rest', async () => {
      must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
      const tree = await followAll({ rootSession: 'root' }, { after: '0-0' }, has('bookmark', 2));
      expect(tree.heard.every((event) => membersOf(event)['session_name'] !== 'other')).toBe(true);
      await writeUpTo(3);
      const state = await followAll({ stateId: id }, { after: '0-0' }, has('bookmark', 2));
      expect(state.versions()).toEqual([1, 2, 3]);
      const end = must(await harness.operator.streams.all({}))[Symbol.asyncIterator]();
      const [present] = (await end.next()).value as readonly StreamEvent[];
      expect(tree.heard.at(-1)?.id).not.toBe('0-0');
      expect(state.heard.at(-1)?.id).toBe(present?.id);
    });

    it('tells that a state was deleted', async () => {
      must(await harness.operator.states.remove(id));
      const { heard } = await followAll({}, { after: '0-0' }, has('workflow_state_deleted'));
      expect(heard.at(-1)).toMatchObject({ event: 'workflow_state_deleted', data: { state_id: id } });
      expect(heard.some(({ event }) => event === 'workflow_state_updated')).toBe(false);
    });

    it('is refused where its past is cut away, and at places of another database', async () => {
      await writeUpTo(60);
      await harness.pass(0);
      const gone = failure(await harness.operator.streams.all({}, { after: '0-0' }));
      expect(gone.error).toBe('version_compacted');
      const oldest = gone.members['oldest_position'] as string;
      const { heard } = await followAll({}, { after: oldest }, upTo(60));
      expect(heard.length).toBeGreaterThan(1);
      expect(failure(await harness.operator.streams.all({}, { after: '9999-0' })).error).toBe(
        'version_not_found',
      );
      expect(failure(await harness.operator.streams.all({}, { after: '12' })).error).toBe('invalid_request');
    });
  });
});
