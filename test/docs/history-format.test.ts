// The verifier of docs/history-format.md, run on exports: it agrees with the service, and finds each kind of damage.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateFile } from '../../src/cli/files/state-file.js';
import { signingKeys } from '../../src/domain/evidence/keys.js';
import type { EventView } from '../../src/ports/api/index.js';
import { must, openHarness, type Harness } from '../service/harness.js';
import { textOf } from './markdown.js';

const SECRET = 'a secret of 32 characters or more';
const script = /```js\n(.*?)```/s.exec(textOf('docs/history-format.md'))?.[1] ?? '';

type File = ReturnType<typeof stateFile>;
type Change = (events: EventView[], file: File) => File;

const event = (change: (event: EventView) => object): Change => {
  return (events, file) => ({
    ...file,
    events: events.map((one) => (one.version === 3 ? { ...one, ...change(one) } : one)),
  });
};
const DAMAGE: readonly [string, RegExp, Change][] = [
  ['a patch', /version 3: the event is not as/, event(() => ({ patch: [{ op: 'remove', path: '/a' }] }))],
  ['a kind', /version 3: the event is not as/, event(() => ({ kind: 'revert' }))],
  ['a session', /version 3: the event is not as/, event(() => ({ session_id: 'ses_other' }))],
  ['a session of another type', /version 3: the event is not as/, event(() => ({ session_id: [] }))],
  ['a late of another type', /version 3: the event is not as/, event(() => ({ late: {} }))],
  ['an unknown member', /version 3: the event is not as/, event(() => ({ more: 1 }))],
  ['the state, which no event names', /version 3: the event is not as/, (events, file) => event(() => ({ state_id: file.state.state_id }))(events, file)],
  ['a run', /version 3: the event is not as/, event(() => ({ run_id: 'run_other' }))],
  ['a token', /version 3: the event is not as/, event(() => ({ token_name: 'other' }))],
  ['a time', /version 3: the event is not as/, event(() => ({ created_at: '2026-01-01T00:00:00.001Z' }))],
  ['another text of a time', /version 3: the event is not as/, event((one) => ({ created_at: one.created_at.toLowerCase() }))],
  ['a link', /version 3: the event is not as/, event(() => ({ previous_hash: 'f'.repeat(64) }))],
  ['a hash', /version 3: the event is not as/, event(() => ({ hash: 'f'.repeat(64) }))],
  ['a signature', /version 3: the signature is not valid/, event((one) => ({ signature: `${String(one.signature)}x` }))],
  ['no signature', /version 3: the signature is missing/, event(() => ({ signature: null }))],
  ['a dropped event', /version 3: the event is missing/, (events, file) => ({ ...file, events: events.toSpliced(2, 1) })],
  ['a cut tail', /version 5: the event is missing/, (events, file) => ({ ...file, events: events.slice(0, 4) })],
  ['a document', /version 5: the document is not what/, (_events, file) => ({ ...file, current_data: { a: 2 } })],
]; // prettier-ignore

describe('the verifier of docs/history-format.md', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'countersign-verifier-'));
  let harness: Harness;
  let whole: File;

  beforeAll(async () => {
    writeFileSync(path.join(dir, 'verifier.mjs'), script);
    harness = await openHarness({}, false, {}, undefined, undefined, signingKeys(SECRET));
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const { state_id } = must(
      await operator.states.create({ schema_name: 'any', initial_data: { a: 1, 'é~/': [1.5e300, 'ü'] } }),
    );
    must(await operator.states.patch(state_id, [{ op: 'add', path: '/list', value: [{ x: 1 }, 2] }], {}));
    must(
      await operator.states.patch(
        state_id,
        [
          { op: 'move', from: '/list/0', path: '/list/1' },
          { op: 'copy', from: '/é~0~1', path: '/copy' },
          { op: 'add', path: '/list/-', value: null },
          { op: 'test', path: '/a', value: 1 },
        ],
        {},
      ),
    );
    must(await operator.states.mergePatch(state_id, { a: null, copy: { deep: { er: true } } }, {}));
    must(await operator.states.replace(state_id, { a: 1, z: 'last' }, {}));
    const state = must(await operator.states.get(state_id));
    const schema = must(await operator.schemas.get('any', 1));
    whole = stateFile(state, schema, must(await operator.states.events(state_id, {})).events);
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true });
    await harness.close();
  });

  function verify(file: File, ...secret: string[]): string {
    const name = path.join(dir, 'export.json');
    writeFileSync(name, JSON.stringify(file));
    try {
      return execFileSync(process.execPath, [path.join(dir, 'verifier.mjs'), name, ...secret], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    }
  }

  it('has 60 lines, and imports what Node.js brings', () => {
    expect(script.split('\n').filter((line) => line !== '').length).toBe(60);
    expect([...script.matchAll(/from '(.*?)'/g)].map(([, from]) => from)).toEqual(['node:crypto', 'node:fs']);
  });

  it('holds what the service wrote, with its secret and without one', () => {
    const head = whole.events?.at(-1)?.hash ?? '';
    expect(verify(whole)).toBe(`5 events hold; the head is ${head}\n`);
    expect(verify(whole, SECRET)).toBe(`5 events hold; the head is ${head}\n`);
  });

  it('holds no signature of another secret', () => {
    const other = 'another secret of at least 32 chars';
    expect(verify(whole, other)).toMatch(/version 1: the key of the signature is not known/);
  });

  it('holds what earlier secrets have signed, up to a valid signature', () => {
    const other = signingKeys('another secret of at least 32 chars');
    const signedBefore = (through: number) => ({
      ...whole,
      events: (whole.events ?? []).map((one) =>
        one.version <= through ? { ...one, signature: other.sign(one.hash) } : one,
      ),
    });
    expect(verify(signedBefore(4), SECRET)).toMatch(/^5 events hold/);
    expect(verify(signedBefore(5), SECRET)).toMatch(/version 1: the key of the signature is not known/);
  });

  it.each(DAMAGE)('finds %s', (_what, said, change) => {
    const copy = structuredClone(whole);
    expect(verify(change(copy.events ?? [], copy), SECRET)).toMatch(said);
  });
});
