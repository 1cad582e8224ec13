// The changes of one key, made of those of its state.
import { describe, expect, test } from 'vitest';
import type { Result } from '../../../src/domain/errors.js';
import type { JsonValue } from '../../../src/domain/json/json.js';
import { followKey } from '../../../src/http/socket/key-events.js';
import type { StreamEvent } from '../../../src/ports/api/index.js';
import type { Countersign } from '../../../src/ports/service.js';
import { ok, fail, FakeHost } from '../fake-host.js';

const update = (version: number): StreamEvent => ({
  id: String(version),
  event: 'workflow_state_updated',
  data: {
    event_id: `evt_${String(version)}`,
    state_id: 'st_1',
    version,
    kind: 'key_set',
    patch: [{ op: 'replace', path: '/k', value: version }],
    updated_by_session: null,
    run_id: null,
    token_name: null,
    late: false,
    timestamp: '2026-01-01T00:00:00.000Z',
    previous_hash: '',
    hash: '',
    signature: null,
  },
});

/** What is told of versions 41 to 43 where the values of the key are these. */
async function eventsFor(values: Record<number, Result<JsonValue>>) {
  const pages = [
    [{ id: '40', event: 'bookmark', data: {} }],
    ...[41, 42, 43].map((version) => [update(version)]),
  ];
  const host = new FakeHost({
    'streams.state': () => ok(pages),
    'states.getAt': (_stateId: unknown, _pointer: unknown, version: unknown) => {
      const found = values[Number(version)] ?? fail('pointer_not_found', '');
      return found.ok ? ok({ value: found.value }) : found;
    },
  });
  const service: Countersign = host.as({ kind: 'operator', tokenName: null });
  const followed = await followKey(service, 'st_1', 'k', {});
  if (!followed.ok) throw new Error(followed.failure.detail);
  const events = [];
  for await (const page of followed.value) events.push(...page);
  return events
    .slice(1)
    .map(({ id, event, data }) => [
      id,
      event,
      'value' in data ? data.value : 'error' in data ? data.error : undefined,
    ]);
}

describe('the stream of a key', () => {
  test('tells another value, and a key that is gone', async () => {
    expect(await eventsFor({ 40: ok(1), 41: ok(1), 42: ok(2) })).toEqual([
      ['42', 'state_key_updated', 2],
      ['43', 'state_key_deleted', undefined],
    ]);
  });

  test('ends where a value cannot be read, and calls that no deletion', async () => {
    expect(await eventsFor({ 40: ok(1), 41: ok(2), 42: fail('version_compacted', '') })).toEqual([
      ['41', 'state_key_updated', 2],
      ['41', 'dropped', 'version_compacted'],
    ]);
    expect(await eventsFor({ 41: fail('state_not_found', '') })).toEqual([
      ['40', 'dropped', 'state_not_found'],
    ]);
  });

  test('tells the first change where nobody knows what was before it', async () => {
    expect(await eventsFor({ 40: fail('version_compacted', ''), 41: ok(1), 42: ok(1), 43: ok(1) })).toEqual([
      ['41', 'state_key_updated', 1],
    ]);
  });
});
