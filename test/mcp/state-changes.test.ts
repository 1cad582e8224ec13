import { expect, it } from 'vitest';
import { ok, fail } from '../../src/domain/errors.js';
import { followStates } from '../../src/mcp/transports/state-changes.js';
import type { StreamService } from '../../src/ports/service.js';
import { silent } from '../service/harness.js';

it('goes on after its last event where the service is overloaded, and from the present where it refuses that', async () => {
  const asked: (string | undefined)[] = [];
  const over = new AbortController();
  const answers = [
    ok(['5']),
    fail('overloaded', 'Too many streams'),
    fail('version_compacted', 'No longer there'),
    ok([]),
  ];
  const streams = {
    all: (_filter: object, { after }: { after?: string | undefined }) => {
      asked.push(after);
      const answer = answers[asked.length - 1] ?? ok([]);
      if (asked.length === answers.length) over.abort();
      if (!answer.ok) return Promise.resolve(answer);
      const events = answer.value.map((id) => ({ id, event: 'bookmark', data: {} }));
      // One page, and the end of the stream.
      return Promise.resolve(ok(events.length === 0 ? [] : [events]));
    },
  } as unknown as StreamService;
  await followStates(streams, over.signal, silent, { change: () => undefined }, 1);
  expect(asked).toEqual([undefined, '5', '5', undefined]);
});
