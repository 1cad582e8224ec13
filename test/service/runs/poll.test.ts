// How long a runner's poll waits, and what it hands out.
import { describe, expect, it, vi } from 'vitest';
import { failure, must, openHarness, PlayedRunner } from '../harness.js';

it('a poll ends in its time, also where the clock was set back', async () => {
  const harness = await openHarness({ pollLookAgainMs: 5 });
  const { runners } = harness.operator;
  const { runner_id: runnerId } = must(
    await runners.register({ hostname: 'h', executor_types: ['command'], max_concurrent: 1 }),
  );
  const polled = runners.poll({ runnerId, waitMs: 50 });
  harness.clock.advance(-3_600_000);
  expect(must(await polled)).toEqual({ runs: [], stop_runs: [] });
  await harness.close();
});

describe('a run without its session', () => {
  it.each([
    ['is gone', "delete from sessions where session_name = 'lost'"],
    ['has another id', "update runs set session_id = 'ses_other'"],
    ['has an id that is no text of UTF-8', "update runs set session_id = cast(x'eda080' as text)"],
    [
      'has with it an id that is no text of UTF-8',
      ['runs', 'sessions', 'completions']
        .map((table) => `update ${table} set session_id = cast(x'eda080' as text)`)
        .join('; '),
    ],
  ])('keeps no other from being handed out, where the session %s', async (_, sql) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const harness = await openHarness();
    const { runs } = harness.operator;
    must(await runs.create({ type: 'start_session', session_name: 'lost', prompt: 'p' }));
    harness.tamper(sql);
    await harness.restart();
    const runner = await PlayedRunner.register(harness);
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'sound', prompt: 'p' }));
    expect((await runner.take('sound')).prompt).toContain('p');
    await harness.close();
    vi.restoreAllMocks();
  });
});

describe('a new session', () => {
  it.each(['', 'ses_', 'ses_a b', 'ses_a/b', '..', '__proto__', 'ses_\ud800', `ses_${'x'.repeat(61)}`])(
    'cannot have the id %j, whoever asks for it',
    async (session_id) => {
      const harness = await openHarness();
      const { runs } = harness.operator;
      const refused = failure(await runs.create({ type: 'start_session', session_id, prompt: 'p' }));
      expect(refused).toMatchObject({
        error: 'invalid_request',
        members: { errors: [{ pointer: '/session_id' }] },
      });
      expect(must(await harness.operator.sessions.list({})).items).toEqual([]);
      await harness.close();
    },
  );

  it('has the prompt that it was given, but for half of a surrogate pair', async () => {
    const harness = await openHarness();
    const { runs } = harness.operator;
    const { run_id } = must(
      await runs.create({ type: 'start_session', session_name: 'a', prompt: 'a\ud800b\0' }),
    );
    await harness.restart();
    expect(must(await harness.operator.runs.get(run_id)).prompt).toBe('a\ufffdb\0');
    await harness.close();
  });
});
