// How long a runner's poll waits.
import { expect, it } from 'vitest';
import { must, openHarness } from '../harness.js';

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
