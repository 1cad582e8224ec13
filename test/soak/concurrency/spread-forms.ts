// Writes to many states, each written by few at a time.
import type { Journal } from './journal.js';
import type { Writer } from './writer.js';

export const SPREAD_SCHEMA = {
  name: 'spread',
  json_schema: {
    type: 'object',
    properties: { by: { type: 'string' }, n: { type: 'integer' } },
    required: ['by', 'n'],
    additionalProperties: false,
  },
};
export const SPREAD_DATA = { by: '', n: 0 };

type Form = (writer: Writer, journal: Journal, path: string, token: string) => Promise<unknown>;

const by = (token: string) => ({ token, effects: [{ pointer: '/by', is: token }] });

const patch: Form = (writer, journal, path, token) =>
  writer.write(journal, {
    ...{ method: 'PATCH', path, body: { operations: [{ op: 'replace', path: '/by', value: token }] } },
    ...by(token),
  });

const replace: Form = (writer, journal, path, token) =>
  writer.write(journal, { method: 'PUT', path, body: { data: { by: token, n: -1 } }, ...by(token) });

const compareAndSet: Form = async (writer, journal, path, token) => {
  const seen = await writer.get(path);
  if (seen === null) return;
  const { version, current_data: data } = seen.body;
  journal.read(`GET ${path}`, seen, version, data);
  const body = { data: { ...data, by: token }, expected_version: version };
  const terms = { expected: version, mayBe: ['version_conflict'] };
  await writer.write(journal, { method: 'PUT', path, body, ...terms, ...by(token) });
};

const count: Form = (writer, journal, path, token) => {
  const operations = [
    { op: 'increment', pointer: '/n', delta: 1 },
    { op: 'set', pointer: '/by', value: token },
  ];
  const effects = [...by(token).effects, { pointer: '/n', adds: 1 }];
  return writer.writeOnce(journal, {
    method: 'POST',
    path: `${path}/ops`,
    body: { operations },
    token,
    effects,
  });
};

/** Whether it changes anything depends on what is there when its turn comes. */
const revert: Form = (writer, journal, path) => {
  if (journal.newest < 2) return Promise.resolve();
  const version = writer.random.between(1, journal.newest);
  const effects = [{ asAtVersion: version }];
  return writer.write(journal, {
    method: 'POST',
    path: `${path}/revert`,
    body: { to_version: version },
    effects,
  });
};

const FORMS: readonly [Form, ...Form[]] = [patch, patch, replace, compareAndSet, count, revert];

export function writeSomewhere(writer: Writer, journals: readonly [Journal, ...Journal[]]): Promise<unknown> {
  const journal = writer.random.oneOf(journals);
  const form = writer.random.oneOf(FORMS);
  return form(writer, journal, `/workflow-states/${journal.stateId}`, writer.token());
}
