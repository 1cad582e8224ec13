import { expect, it } from 'vitest';
import { accepted, refused } from '../../src/domain/errors.js';
import { followStates } from '../../src/mcp/state-changes.js';
import type { StreamService } from '../../src/ports/service.js';
import { silent } from '../service/harness.js';

it('goes on after its last event where the service is overloaded, and from the present where it refuses that', async () => {
  const asked: (string | undefined)[] = [];
  const over = new AbortController();
  const answers = [
    accepted(['5']),
    refused('overloaded', 'Too many streams'),
    refused('version_compacted', 'No longer there'),
    accepted([]),
  ];
  const streams = {
    all: (_filter: object, { after }: { after?: string | undefined }) => {
      asked.push(after);
      const answer = answers[asked.length - 1] ?? accepted([]);
      if (asked.length === answers.length) over.abort();
      if (!answer.ok) return Promise.resolve(answer);
      const events = answer.value.map((id) => ({ id, event: 'bookmark', data: {} }));
      // One page, and the end of the stream.
      return Promise.resolve(accepted(events.length === 0 ? [] : [events]));
    },
  } as unknown as StreamService;
  await followStates(streams, over.signal, silent, () => undefined, 1);
  expect(asked).toEqual([undefined, '5', '5', undefined]);
});
