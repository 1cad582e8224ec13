// 1,000 random histories: the verifier of docs/history-format.md and ours agree about each, whole and damaged.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { canonicalPatch } from '../../../src/document/canonical.js';
import { applyPatch } from '../../../src/document/index.js';
import type { Evidence } from '../../../src/domain/evidence/check.js';
import { signingKeys } from '../../../src/domain/evidence/keys.js';
import { seal } from '../../../src/domain/evidence/seal.js';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import type { Patch } from '../../../src/domain/json/patch.js';
import type { StateEvent } from '../../../src/domain/records/records.js';
import type { EventView } from '../../../src/ports/api/index.js';
import { verifyExport } from '../../../src/service/index.js';
import { eventView } from '../../../src/service/views.js';
import { textOf } from '../../docs/markdown.js';
import { runs } from '../../support/runs.js';

const SECRET = 'a secret of at least 32 characters, for tests';
const HISTORIES = runs(1000);
const keys = signingKeys(SECRET);
/** Of earlier secrets, which nobody has any more. */
const RETIRED = [1, 2].map((n) => signingKeys(`${SECRET} ${String(n)}`));

/** A number from 0 to `below` - 1. The same seed gives the same numbers. */
function randomOf(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof randomOf>;

const TEXTS = ['', 'a', 'é~/"\\', '\u2028\u0001', 'verdict', '😀', '0'];
const NUMBERS = [0, -0, 1, -1.5, 1e21, 1e-7, 333333333.33333329, 2 ** 53];

function valueOf(random: Random, depth: number): JsonValue {
  switch (random(depth > 2 ? 4 : 6)) {
    case 0:
      return TEXTS[random(TEXTS.length)] ?? null;
    case 1:
      return NUMBERS[random(NUMBERS.length)] ?? null;
    case 2:
      return random(2) === 0;
    case 3:
      return null;
    case 4:
      return Array.from({ length: random(4) }, () => valueOf(random, depth + 1));
    default:
      return objectOf(random, depth + 1);
  }
}

function objectOf(random: Random, depth: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: random(4) }, () => [TEXTS[random(TEXTS.length)] ?? '', valueOf(random, depth)]),
  );
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** A patch that applies to the document. */
function patchOn(random: Random, document: JsonObject): Patch {
  const names = Object.keys(document);
  const name = names[random(names.length)];
  const fresh = `/${escaped(TEXTS[random(TEXTS.length)] ?? 'x')}`;
  if (name === undefined || random(3) === 0) return [{ op: 'add', path: fresh, value: valueOf(random, 0) }];
  const path = `/${escaped(name)}`;
  const at = document[name];
  switch (random(6)) {
    case 0:
      return [{ op: 'remove', path }];
    case 1:
      return [{ op: 'replace', path, value: valueOf(random, 0) }];
    case 2:
      return [{ op: 'copy', from: path, path: '/copied' }, { op: 'test', path: '/copied', value: at ?? null }];
    case 3:
      return [{ op: 'move', from: path, path: '/moved' }];
    case 4:
      return Array.isArray(at) ? [{ op: 'add', path: `${path}/-`, value: 1 }] : [{ op: 'replace', path: '', value: {} }];
    default:
      return Array.isArray(at) && at.length > 0
        ? [{ op: 'add', path: `${path}/0`, value: null }, { op: 'remove', path: `${path}/1` }]
        : [{ op: 'replace', path, value: { deep: [valueOf(random, 0)] } }];
  }
} // prettier-ignore

/** A history as an export has it. The first events of some are from before the secret. */
function historyOf(random: Random) {
  const length = 3 + random(12);
  const unsigned = random(3) === 0 ? random(length - 1) : 0;
  const changes = RETIRED.map(() => (random(2) === 0 ? 0 : random(length))).toSorted((a, b) => a - b);
  const events: StateEvent[] = [];
  let document: JsonObject = {};
  for (let version = 1; version <= length; version += 1) {
    const patch: Patch =
      version === 1 ? [{ op: 'replace', path: '', value: objectOf(random, 0) }] : patchOn(random, document);
    document = applyPatch(document, patch);
    const migrates = random(9) === 0;
    events.push(
      seal(version <= unsigned ? null : (RETIRED[changes.findIndex((through) => version <= through)] ?? keys), {
        eventId: `evt_${String(random(1e6))}`,
        stateId: 'wfstate_1',
        rootSessionId: 'ses_1',
        version,
        kind: version === 1 ? 'create' : migrates ? 'migrate' : 'json_patch',
        patchText: canonicalPatch(patch),
        sessionId: random(2) === 0 ? null : TEXTS[random(TEXTS.length)] ?? null,
        runId: random(2) === 0 ? null : 'run_1',
        tokenName: random(2) === 0 ? null : TEXTS[random(TEXTS.length)] ?? null,
        toolCallId: random(3) === 0 ? 'toolu_1' : null,
        late: random(5) === 0,
        createdAt: 1_750_000_000_000 + random(1e9),
        fromSchemaId: migrates ? 'sch_1' : null,
        toSchemaId: migrates ? 'sch_2' : null,
        previousHash: events.at(-1)?.hash ?? '',
      }),
    );
  } // prettier-ignore
  const state = { state_id: 'wfstate_1', root_session_id: 'ses_1' };
  return { state, version: length, current_data: document, events: events.map(eventView) };
}
type History = ReturnType<typeof historyOf>;

function changed(history: History, at: number, change: (event: EventView) => Partial<EventView>): History {
  const events = history.events.map((one, index) => (index === at ? { ...one, ...change(one) } : one));
  return { ...history, events };
}

/** A change that the types of an event do not allow. */
function changedJson(history: History, at: number, change: object): History {
  return changed(history, at, () => change);
}

/** The key of somebody who has not the secret. */
const STRANGE = signingKeys('the secret of somebody else, for tests');

/** A last event with the right hash, link and document, signed with another key. */
function forgedTail(history: History): History {
  const before = history.events.at(-1);
  if (before === undefined) return history;
  const patch: Patch = [{ op: 'add', path: '/forged', value: true }];
  const version = before.version + 1;
  const forged = seal(STRANGE, {
    ...{ eventId: 'evt_forged', stateId: 'wfstate_1', rootSessionId: 'ses_1', version, kind: 'json_patch' },
    ...{ patchText: canonicalPatch(patch), sessionId: null, runId: null, tokenName: null, toolCallId: null },
    ...{ late: false, createdAt: 1, fromSchemaId: null, toSchemaId: null, previousHash: before.hash },
  });
  const current = applyPatch(history.current_data, patch);
  return { ...history, version, current_data: current, events: [...history.events, eventView(forged)] };
}

/** Every kind of damage that an export can have. */
const DAMAGE: readonly [string, (history: History, at: number) => History][] = [
  ['version', (h, at) => changed(h, at, (one) => ({ version: one.version + 1 }))],
  ['event id', (h, at) => changed(h, at, () => ({ event_id: 'evt_other' }))],
  ['kind', (h, at) => changed(h, at, () => ({ kind: 'revert' }))],
  ['patch', (h, at) => changed(h, at, (one) => ({ patch: [...one.patch, { op: 'add', path: '/new', value: 1 }] }))],
  ['session', (h, at) => changed(h, at, () => ({ session_id: 'ses_other' }))],
  ['run', (h, at) => changed(h, at, () => ({ run_id: 'run_other' }))],
  ['token', (h, at) => changed(h, at, () => ({ token_name: 'other' }))],
  ['tool call', (h, at) => changed(h, at, () => ({ tool_call_id: 'toolu_other' }))],
  ['late', (h, at) => changed(h, at, (one) => ({ late: !one.late }))],
  ['time', (h, at) => changed(h, at, (one) => ({ created_at: new Date(Date.parse(one.created_at) + 1).toISOString() }))],
  ['another text of a time', (h, at) => changed(h, at, (one) => ({ created_at: one.created_at.replace('Z', '+00:00') }))],
  ['time with a fraction of a millisecond', (h, at) => changed(h, at, (one) => ({ created_at: one.created_at.replace('Z', '9Z') }))],
  ['link', (h, at) => changed(h, at, () => ({ previous_hash: 'f'.repeat(64) }))],
  ['hash', (h, at) => changed(h, at, () => ({ hash: 'f'.repeat(64) }))],
  ['dropped event', (h, at) => ({ ...h, events: h.events.toSpliced(Math.max(1, at), 1) })],
  ['cut tail', (h) => ({ ...h, events: h.events.slice(0, -1) })],
  ['exchanged events', (h) => ({ ...h, events: [...h.events.slice(0, -2), ...h.events.slice(-2).toReversed()] })],
  ['document', (h) => ({ ...h, current_data: { ...h.current_data, forged: true } })],
  ['signature', (h) => changed(h, h.events.length - 1, () => ({ signature: `${keys.id}.forged` }))],
  ['removed signature', (h) => changed(h, h.events.length - 1, () => ({ signature: null }))],
  ['session of another type', (h, at) => changedJson(h, at, { session_id: [] })],
  ['run of another type', (h, at) => changedJson(h, at, { run_id: 5 })],
  ['late of another type', (h, at) => changedJson(h, at, { late: {} })],
  ['token that is missing', (h, at) => changedJson(h, at, { token_name: undefined })],
  ['migration of another type', (h, at) => changedJson(h, at, { to_schema_id: null })],
  ['unknown member', (h, at) => changedJson(h, at, { more: null })],
  ['tail of another key', (h) => changed(h, h.events.length - 1, (one) => ({ signature: STRANGE.sign(one.hash) }))],
  ['forged tail', (h) => forgedTail(h)],
  ['key that is none', (h) => changed(h, h.events.length - 1, () => ({ signature: 'x' }))],
  ['state', (h) => ({ ...h, state: { ...h.state, state_id: 'wfstate_2' } })],
]; // prettier-ignore

const text = /```js\n(.*?)```/s.exec(textOf('docs/history-format.md'))?.[1] ?? '';
const script = new Script(`(() => {${text.replaceAll(/^import .*$/gm, '')}})()`);

/** What the verifier of the page says: `null` if all holds, or the first words of its complaint. */
function byThePage(history: History, secret: string | undefined): string | null {
  try {
    script.runInNewContext({
      ...{ createHash, createHmac, timingSafeEqual, Buffer, structuredClone },
      process: { argv: ['node', 'verifier.mjs', 'file', ...(secret === undefined ? [] : [secret])] },
      readFileSync: () => JSON.stringify(history),
      console: { log: () => undefined },
    });
    return null;
  } catch (error) {
    return String(error);
  }
}

function byUs(history: History, evidence: Evidence) {
  // As it is read from a file.
  const found = verifyExport(JSON.parse(JSON.stringify(history)) as JsonValue, evidence);
  if (found === null) throw new Error('this is no export');
  return found.first;
}

const SIGNED: Evidence = { keys, retired: [] };
const PLAIN: Evidence = { keys: null, retired: [] };

test(`the verifier of the page and ours agree about ${String(HISTORIES)} histories, and find each kind of damage`, () => {
  const found = new Map<string, number>();
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const random = randomOf(seed);
    const history = historyOf(random);
    const of = `history ${String(seed)}`;
    expect(byThePage(history, SECRET), of).toBeNull();
    expect(byThePage(history, undefined), of).toBeNull();
    expect(byUs(history, SIGNED), of).toBeNull();
    expect(byUs(history, PLAIN), of).toBeNull();
    const [kind, damage] = DAMAGE[seed % DAMAGE.length] ?? ['none', (same: History) => same];
    const damaged = damage(history, random(history.events.length));
    const first = byUs(damaged, SIGNED);
    const page = byThePage(damaged, SECRET);
    expect(first, `${of}: ${kind}`).not.toBeNull();
    expect(page, `${of}: ${kind}`).not.toBeNull();
    expect(page, `${of}: ${kind}`).toContain(`version ${String(first?.version)}: `);
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  expect(found.size).toBe(DAMAGE.length);
}, 120_000);
