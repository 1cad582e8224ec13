// Every form of write, on one state that all write to. Each writer has a slot of its own (`/slots/w7`), which holds the token of
// its last write; counters, a log and the keys stand beside them.
import { pause } from '../../support/eventually.js';
import type { Journal } from './journal.js';
import type { Attempt, Writer } from './writer.js';

export const HOT_SCHEMA = {
  name: 'hot',
  json_schema: {
    type: 'object',
    properties: {
      slots: { type: 'object', additionalProperties: { type: 'string', maxLength: 20 } },
      counters: { type: 'object', additionalProperties: { type: 'integer', 'x-monotonic': true } },
      log: { type: 'array', items: { type: 'string' } },
    },
    patternProperties: { '^key_': { type: 'string' } },
    required: ['slots', 'counters', 'log'],
    additionalProperties: false,
  },
};
export const HOT_DATA = { slots: {}, counters: {}, log: [] };

const LOG_ITEMS_MAX = 40;
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };

export type Form = (writer: HotWriter) => Promise<void>;

/** A writer and what it remembers of the state. */
export class HotWriter {
  readonly slot: string;
  readonly slotPointer: string;
  readonly path: string;
  /** The whole document as it was read once. */
  memory: { readonly version: number; readonly data: any; readonly life: number } | null = null;
  /** The document that its session goes on sending, whatever others write. */
  naive: { data: any; readonly life: number } | null = null;

  constructor(
    readonly writer: Writer,
    readonly journal: Journal,
    /** Name of its session. */
    readonly session: string,
  ) {
    this.slot = `w${String(writer.number)}`;
    this.slotPointer = `/slots/${this.slot}`;
    this.path = `/workflow-states/${journal.stateId}`;
  }

  /** Writes its slot or beside it; what it remembers has no place for that. */
  async write(attempt: Partial<Attempt> & { method: string }): Promise<void> {
    this.memory = null;
    await this.writer.write(this.journal, { path: this.path, ...attempt });
  }

  async read(headers: Readonly<Record<string, string>> = {}) {
    const life = this.writer.load.life();
    const answer = await this.writer.get(this.path, headers);
    if (answer === null) return null;
    const { version, current_data: data } = answer.body;
    this.journal.read(`GET ${this.path}`, answer, version, data);
    return { version: version as number, data, life };
  }

  counter(): string {
    return `/counters/c${String(this.writer.number % 5)}`;
  }
}

/** Effects of a write that puts its token into its slot. */
const putInSlot = (hot: HotWriter, token: string) => ({
  token,
  effects: [{ pointer: hot.slotPointer, is: token }],
});
const withSlot = (data: any, slot: string, token: string) => ({
  ...data,
  slots: { ...data.slots, [slot]: token },
});

const replaceExpected: Form = async (hot) => {
  const seen = await hot.read();
  if (seen === null) return;
  const token = hot.writer.token();
  const body = { data: withSlot(seen.data, hot.slot, token), expected_version: seen.version };
  await hot.write({
    method: 'PUT',
    body,
    expected: seen.version,
    mayBe: ['version_conflict'],
    ...putInSlot(hot, token),
  });
};

const patchIfMatch: Form = async (hot) => {
  const seen = await hot.read();
  if (seen === null) return;
  const token = hot.writer.token();
  const body = [{ op: 'add', path: hot.slotPointer, value: token }];
  const headers = { ...JSON_PATCH, 'if-match': `"${String(seen.version)}"` };
  const terms = { expected: seen.version, mayBe: ['version_conflict'], ...putInSlot(hot, token) };
  await hot.write({ method: 'PATCH', body, headers, ...terms });
};

/** The whole document from memory, on the base that was read then: nothing that others wrote may be lost. */
const replaceOnBase: Form = async (hot) => {
  if (hot.memory?.life !== hot.writer.load.life()) hot.memory = await hot.read();
  if (hot.memory === null) return;
  await pause(hot.writer.random.between(0, 60));
  const { version, data } = hot.memory;
  const token = hot.writer.token();
  const onConflict = hot.writer.random.oneOf(['merge', 'overwrite', 'reject']);
  const body = { data: withSlot(data, hot.slot, token), base_version: version, on_conflict: onConflict };
  const terms =
    onConflict === 'reject'
      ? { expected: version, mayBe: ['version_conflict'] }
      : { mayBe: lostIn(hot, 'merge_conflict') };
  await hot.write({ method: 'PUT', body, ...terms, ...putInSlot(hot, token) });
};

/** Nobody else writes the slot: a conflict is in order only where a write of its own came through unheard of. */
const lostIn = (hot: HotWriter, code: string) => (hot.writer.uncertain ? [code] : []);

/** As an agent does that reads once and then sends all of it again and again. */
const replaceFromMemory: Form = async (hot) => {
  const headers = { 'x-agent-session-name': hot.session };
  const { random, load } = hot.writer;
  if (hot.naive?.life !== load.life() || random.fraction() < 0.2) hot.naive = await hot.read(headers);
  if (hot.naive === null) return;
  const token = hot.writer.token();
  const slot = `s${hot.slot}`;
  hot.naive.data = withSlot(hot.naive.data, slot, token);
  const body = { data: hot.naive.data, base_version: 'last_read' };
  const { life } = hot.naive;
  const effects = [{ pointer: `/slots/${slot}`, is: token }];
  const mayBe = lostIn(hot, 'merge_conflict');
  const sent = { path: hot.path, method: 'PUT', body, headers, token, effects, mayBe };
  const answer = await hot.writer.write(hot.journal, sent);
  if (answer === null || life !== load.life()) hot.naive = null;
};

const jsonPatch: Form = async (hot) => {
  const token = hot.writer.token();
  const body = [
    { op: 'add', path: hot.slotPointer, value: token },
    { op: 'test', path: hot.slotPointer, value: token },
  ];
  await hot.write({ method: 'PATCH', body, headers: JSON_PATCH, ...putInSlot(hot, token) });
};

const patchOnBase: Form = async (hot) => {
  const seen = await hot.read();
  if (seen === null) return;
  const token = hot.writer.token();
  const body = {
    operations: [{ op: 'add', path: hot.slotPointer, value: token }],
    base_version: seen.version,
  };
  await hot.write({ method: 'PATCH', body, mayBe: lostIn(hot, 'merge_conflict'), ...putInSlot(hot, token) });
};

const mergePatch: Form = async (hot) => {
  const token = hot.writer.token();
  const body = { slots: { [hot.slot]: token } };
  await hot.write({ method: 'PATCH', body, headers: MERGE_PATCH, ...putInSlot(hot, token) });
};

const increment = (hot: HotWriter) => {
  const token = hot.writer.token();
  const delta = hot.writer.random.between(1, 3);
  const pointer = hot.counter();
  const operations = [
    { op: 'increment', pointer, delta },
    { op: 'set', pointer: hot.slotPointer, value: token },
  ];
  const effects = [
    { pointer, adds: delta },
    { pointer: hot.slotPointer, is: token },
  ];
  return { method: 'POST', path: `${hot.path}/ops`, body: { operations }, token, effects };
};

const count: Form = (hot) => hot.write(increment(hot));

const countOnce: Form = async (hot) => {
  hot.memory = null;
  await hot.writer.writeOnce(hot.journal, increment(hot));
};

const append: Form = async (hot) => {
  const token = hot.writer.token();
  const operations = [{ op: 'append', pointer: '/log', items: [token] }];
  const effects = [{ pointer: '/log', holds: token }];
  const answer = await hot.writer.write(hot.journal, {
    ...{ method: 'POST', path: `${hot.path}/ops`, body: { operations }, token, effects },
  });
  if (answer === null || answer.body.current_data.log.length < LOG_ITEMS_MAX) return;
  const empty = [{ op: 'set', pointer: '/log', value: [] }];
  await hot.writer.write(hot.journal, {
    method: 'POST',
    path: `${hot.path}/ops`,
    body: { operations: empty },
  });
};

const putKey: Form = async (hot) => {
  const token = hot.writer.token();
  const key = `key_${hot.slot}`;
  const path = `/sessions/${hot.session}/state/keys/${key}`;
  await hot.write({
    method: 'PUT',
    path,
    body: { value: token },
    token,
    effects: [{ pointer: `/${key}`, is: token }],
  });
};

const nothing: Form = (hot) => hot.write({ method: 'PATCH', body: {}, headers: MERGE_PATCH });

/** Tried out only: no version of it is ever to be seen. */
const dryRun: Form = async (hot) => {
  const token = hot.writer.token();
  const path = `${hot.path}?dry_run=true`;
  const body = { slots: { [hot.slot]: token } };
  const sent = { method: 'PATCH', path, body, headers: MERGE_PATCH, token };
  const answer = await hot.writer.vain(hot.journal, sent, 200);
  if (typeof answer?.etag === 'string') hot.writer.load.fault('a dry run has an ETag');
};

/** Refused, and all of it: the first operation of each is in order. */
const invalid: Form = async (hot) => {
  const token = hot.writer.token();
  const good = { op: 'add', path: hot.slotPointer, value: token };
  const { error, bad } = hot.writer.random.oneOf([
    { error: 'validation_failed', bad: { op: 'add', path: '/slots/x', value: 'x'.repeat(30) } },
    { error: 'patch_failed', bad: { op: 'test', path: '/log', value: 'no' } },
    { error: 'patch_failed', bad: { op: 'remove', path: '/slots/nobody' } },
    { error: 'patch_failed', bad: { op: 'spoil', path: '/log' } },
  ]);
  const sent = {
    method: 'PATCH',
    path: hot.path,
    body: { operations: [good, bad] },
    token,
    mayBe: [error],
  };
  await hot.writer.vain(hot.journal, sent, 422);
};

const countDown: Form = async (hot) => {
  const token = hot.writer.token();
  const operations = [
    { op: 'append', pointer: '/log', items: [token] },
    { op: 'increment', pointer: hot.counter(), delta: -1 },
  ];
  // Where nothing was counted yet, -1 is a start like any other.
  const seen = await hot.read();
  if (seen?.data.counters[hot.counter().slice('/counters/'.length)] === undefined) return;
  const sent = {
    method: 'POST',
    path: `${hot.path}/ops`,
    body: { operations },
    token,
    mayBe: ['transition_refused'],
  };
  await hot.writer.vain(hot.journal, sent, 422);
};

export const HOT_FORMS: readonly [Form, ...Form[]] = [
  replaceExpected,
  patchIfMatch,
  replaceOnBase,
  replaceOnBase,
  replaceFromMemory,
  replaceFromMemory,
  jsonPatch,
  patchOnBase,
  mergePatch,
  count,
  countOnce,
  countOnce,
  append,
  putKey,
  nothing,
  dryRun,
  invalid,
  countDown,
];
