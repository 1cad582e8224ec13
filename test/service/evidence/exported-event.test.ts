// The text of an event that is hashed is that of one event only.
import { expect, it } from 'vitest';
import { canonicalPatch } from '../../../src/document/canonical.js';
import { NO_KEYS } from '../../../src/domain/evidence/check.js';
import { seal } from '../../../src/domain/evidence/seal.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { verifyExport } from '../../../src/service/index.js';
import { eventView } from '../../../src/service/views.js';

const HASH = 'a'.repeat(64);
/** A document that has the members of an event. */
const value = { k: 'x', late: true, patch: [], previous_hash: '0' };

const event = eventView(
  seal(null, {
    ...{ eventId: 'evt_1', stateId: 'wfstate_1', rootSessionId: 'ses_1', version: 2, kind: 'json_patch' },
    ...{ patchText: canonicalPatch([{ op: 'add', path: '/a', value }]), sessionId: null, runId: null },
    ...{ tokenName: null, toolCallId: null, late: false, createdAt: 1, fromSchemaId: null, toSchemaId: null },
    previousHash: HASH,
  }),
);

function faultOf(members: JsonObject) {
  const events = [{ ...event, ...members }];
  const state = { state_id: 'wfstate_1', root_session_id: 'ses_1' };
  return verifyExport({ state, version: 2, current_data: { a: value }, events }, NO_KEYS)?.first;
}

it('holds the event that was written', () => {
  expect(faultOf({})).toBeNull();
});

it.each<[string, JsonObject, string]>([
  [
    'a kind that holds other members',
    {
      kind: 'json_patch","late":false,"patch":[{"op":"add","path":"/a","value":{"k":"x',
      late: true,
      patch: [],
      previous_hash: `0"}}],"previous_hash":"${HASH}`,
    },
    'is not as it was written',
  ],
  [
    'a number that JSON cannot hold',
    { patch: [{ op: 'add', path: '/a', value: Infinity }] },
    'has a patch of another form',
  ],
  [
    'another text of the time',
    { created_at: '1970-01-01T00:00:00.0019Z' },
    'has a created_at of another form',
  ],
])('finds %s', (_what, members, wrong) => {
  expect(faultOf(members)).toMatchObject({ version: 2, what: `the event ${wrong}` });
});

it.each([0, -1, 2])('finds that all events are missing where the version is said to be %d', (version) => {
  const file = { state: { state_id: 'wfstate_1' }, version, current_data: {}, events: [] };
  expect(verifyExport(file, NO_KEYS)?.first).toEqual({ version: 1, what: 'the event is missing' });
});
