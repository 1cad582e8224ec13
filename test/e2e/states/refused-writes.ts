// Writes that the state engine refuses, each with its status and code; they are sent by state-engine.test.ts.

export const SCHEMA = {
  type: 'object',
  properties: {
    phase: { enum: ['plan', 'work', 'done'], 'x-transitions': { plan: ['work'], work: ['done'], done: [] } },
    n: { type: 'integer' },
    log: { type: 'array', items: { type: 'integer' }, 'x-append-only': true },
    tasks: { type: 'array', items: { type: 'object' } },
  },
};
export const FIRST = { phase: 'plan', n: 1, log: [1], tasks: [{ id: 'a' }, { id: 'b' }] };
/** Version 3, after n and the phase were changed. */
export const NOW = { ...FIRST, n: 2, phase: 'work' };

export const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
export const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
export const KID = { 'x-agent-session-name': 'kid' };

/** What is sent, to a path below that of the state, or from the root where it says so. */
export interface Sent {
  readonly method: string;
  readonly to: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
export type Row = readonly [what: string, sent: Sent, status: number, error: string, members?: object];

export const put = (body: unknown, headers = {}, to = ''): Sent => ({ method: 'PUT', to, body, headers });
export const patch = (operations: unknown, headers = {}, to = ''): Sent => ({
  ...{ method: 'PATCH', to, body: operations, headers: { ...JSON_PATCH, ...headers } },
});
export const post = (to: string, body: unknown, headers = {}): Sent => ({
  method: 'POST',
  to,
  body,
  headers,
});
export const get = (to: string, headers = {}): Sent => ({ method: 'GET', to, headers });
export const ops = (operation: unknown, headers = {}): Sent =>
  post('/ops', { operations: [operation] }, headers);
export const keys = (method: string, rest: string, body?: unknown, headers = {}): Sent => ({
  ...{ method, to: `//sessions/eng/state${rest}`, headers },
  ...(body === undefined ? {} : { body }),
});
/** A row of a request of the wrong form: its only fault, where it is and in what words. */
const misfit = (what: string, sent: Sent, pointer: string, message: string): Row => [
  what,
  sent,
  422,
  'invalid_request',
  { errors: [{ pointer, message }] },
];
const BASES = 'must be an integer >= 1 or "last_read"';
const CHOICES = 'must be one of "merge", "reject", "overwrite"';
const OPERATIONS = 'must be one of "increment", "append", "merge"';
const EVENTS = 'must be one of "set", "delete", "patch", "increment", "append", "full_replace"';
const QUOTED = { op: 'set', key: 'x', value: 1, if_match: '"1"' };
const onN = (operation: object) => keys('POST', '/keys/n/ops', operation);
const batch = (...operations: object[]) => keys('POST', '/batch', { operations });
const event = (body: object) => keys('POST', '/events', body);
export const replaceN = { op: 'replace', path: '/n', value: 7 };

export const MERGING: readonly Row[] = [
  [
    'a base that is yet to come',
    put({ data: NOW, base_version: 99 }),
    409,
    'version_conflict',
    { current_version: 3, your_version: 99, current_data: NOW },
  ],
  [
    'a base in the query that the body contradicts',
    put({ data: NOW, base_version: 1 }, {}, '?base_version=2'),
    422,
    'invalid_request',
    { errors: [{ pointer: '/query/base_version', expected: 1 }] },
  ],
  misfit('a base that never was', put({ data: NOW, base_version: 0 }), '/base_version', BASES),
  misfit('a base in words', put({ data: NOW, base_version: 'yesterday' }), '/base_version', BASES),
  ['what an operator last read', put({ data: NOW, base_version: 'last_read' }), 409, 'base_unknown'],
  [
    'what a session last read that has read nothing',
    put({ data: NOW, base_version: 'last_read' }, KID),
    409,
    'base_unknown',
  ],
  misfit('an unknown way out', put({ data: NOW, on_conflict: 'fight' }), '/on_conflict', CHOICES),
  [
    'a place that both changed',
    put({ data: { ...FIRST, n: 5 }, base_version: 1 }),
    409,
    'merge_conflict',
    { conflicts: [{ pointer: '/n', base: 1, theirs: 2, yours: 5 }], base_version: 1, current_version: 3 },
  ],
  [
    'any other write where that is asked',
    put({ data: { ...FIRST, tasks: [] }, base_version: 1, on_conflict: 'reject' }),
    409,
    'version_conflict',
  ],
  [
    'a patch that its base has no place for',
    patch([{ op: 'test', path: '/n', value: 2 }], {}, '?base_version=1'),
    422,
    'patch_failed',
  ],
  [
    'an expected version beside the base',
    put({ data: NOW, base_version: 3, expected_version: 2 }),
    409,
    'version_conflict',
    { current_version: 3, your_version: 2, current_data: NOW },
  ],
  [
    'an If-Match of the past',
    patch([replaceN], { 'if-match': '"1"' }),
    412,
    'version_conflict',
    { current_version: 3 },
  ],
  [
    'an expected version of the past beside an If-Match that holds',
    put({ data: NOW, expected_version: 2 }, { 'if-match': '"3"' }),
    409,
    'version_conflict',
    { your_version: 2 },
  ],
  [
    'an If-Match of the past beside an expected version of the past',
    put({ data: NOW, expected_version: 2 }, { 'if-match': '"1"' }),
    412,
    'version_conflict',
    { your_version: 1 },
  ],
  ['a weak If-Match', patch([replaceN], { 'if-match': 'W/"3"' }), 412, 'version_conflict'],
  [
    'a merge that breaks the schema',
    put({ data: { ...FIRST, tasks: 'none' }, base_version: 1 }),
    422,
    'validation_failed',
  ],
  [
    'a merge that breaks a rule of change',
    put({ data: { ...FIRST, log: [] }, base_version: 1 }),
    422,
    'transition_refused',
  ],
];

export const OPERATORS: readonly Row[] = [
  [
    'to count a text',
    ops({ op: 'increment', pointer: '/phase', delta: 1 }),
    409,
    'key_type_mismatch',
    { operation_index: 0, pointer: '/phase' },
  ],
  ['to append to a number', ops({ op: 'append', pointer: '/n', items: [1] }), 409, 'key_type_mismatch'],
  ['to merge into an array', ops({ op: 'merge', pointer: '/log', patch: {} }), 409, 'key_type_mismatch'],
  [
    'to delete nothing',
    ops({ op: 'delete', pointer: '/nothing' }),
    422,
    'patch_failed',
    { operation_index: 0 },
  ],
  ['to set in nothing', ops({ op: 'set', pointer: '/no/where', value: 1 }), 422, 'patch_failed'],
  ['an unknown operator', ops({ op: 'double', pointer: '/n' }), 422, 'patch_failed'],
  ['a delta in words', ops({ op: 'increment', pointer: '/n', delta: 'one' }), 422, 'patch_failed'],
  ['a pointer without a slash', ops({ op: 'set', pointer: 'n', value: 1 }), 422, 'patch_failed'],
  ['a prototype', ops({ op: 'set', pointer: '/__proto__/x', value: 1 }), 422, 'patch_failed'],
  [
    'a fraction where whole numbers are',
    ops({ op: 'increment', pointer: '/n', delta: 0.5 }),
    422,
    'validation_failed',
  ],
  ['to go back', ops({ op: 'set', pointer: '/phase', value: 'plan' }), 422, 'transition_refused'],
  [
    'more operators than are allowed',
    post('/ops', { operations: Array(1001).fill({ op: 'increment', pointer: '/n', delta: 1 }) }),
    422,
    'limit_exceeded',
    { limit: 'patchOperationsMax' },
  ],
  [
    'all where the last of them fails',
    post('/ops', {
      operations: [
        { op: 'increment', pointer: '/n', delta: 1 },
        { op: 'delete', pointer: '/nothing' },
      ],
    }),
    422,
    'patch_failed',
    { operation_index: 1 },
  ],
  ['no list', post('/ops', { operations: {} }), 422, 'patch_failed'],
];

export const KEYS: readonly Row[] = [
  ['to read a key that is not there', keys('GET', '/keys/nothing'), 404, 'key_not_found'],
  ['to delete one', keys('DELETE', '/keys/nothing'), 404, 'key_not_found'],
  ['a value that breaks the schema', keys('PUT', '/keys/n', { value: 'x' }), 422, 'validation_failed'],
  [
    'a step that breaks a rule of change',
    keys('PUT', '/keys/phase', { value: 'plan' }),
    422,
    'transition_refused',
  ],
  [
    'a version that the key does not have',
    keys('PUT', '/keys/n', { value: 3 }, { 'if-match': '"1"' }),
    412,
    'version_conflict',
    { current_version: 2, your_version: 1 },
  ],
  [
    'a key that must not be there',
    keys('PUT', '/keys/n', { value: 3 }, { 'if-none-match': '*' }),
    412,
    'version_conflict',
  ],
  misfit('no value', keys('PUT', '/keys/n', {}), '/value', 'the member "value" is missing'),
  ...['%zz', '%E4', '%', '%ED%A0%80'].map((key): Row => [
    `${key} as a key`,
    keys('PUT', `/keys/${key}`, { value: 3 }),
    422,
    'invalid_request',
    { errors: [{ pointer: '/path' }] },
  ]),
  ['a prototype as a key', keys('PUT', '/keys/__proto__', { value: 3 }), 422, 'invalid_request'],
  [
    'to count a key that is no number',
    keys('POST', '/keys/phase/ops', { operation: 'increment', delta: 1 }),
    409,
    'key_type_mismatch',
  ],
  misfit('an unknown operation', onN({ operation: 'pop' }), '/operation', OPERATIONS),
  misfit('no operation', onN({ delta: 1 }), '/operation', OPERATIONS),
  misfit('a delta in words', onN({ operation: 'increment', delta: '1' }), '/delta', 'must be number'),
  misfit('items that are no list', onN({ operation: 'append', items: 1 }), '/items', 'must be array'),
  misfit('a patch that is a list', onN({ operation: 'merge', patch: [1] }), '/patch', 'must be object'),
  [
    'a batch of which one does not fit',
    keys('POST', '/batch', {
      operations: [
        { op: 'set', key: 'n', value: 9 },
        { op: 'delete', key: 'phase', if_match: 1 },
      ],
    }),
    409,
    'version_conflict',
    { applied: false },
  ],
  misfit('an empty batch', batch(), '/operations', 'must have at least 1 items'),
  misfit(
    'an unknown part',
    batch({ op: 'incr', key: 'x' }),
    '/operations/0/op',
    'must be one of "set", "delete"',
  ),
  misfit('a version in quotes', batch(QUOTED), '/operations/0/if_match', 'must be an integer >= 0 or "*"'),
  misfit('an event of no kind', event({ type: 'explode' }), '/type', EVENTS),
  misfit('a list as a document', event({ type: 'full_replace', value: [1] }), '/value', 'must be object'),
  ['keys of a session that is not there', get('//sessions/nobody/state'), 404, 'session_not_found'],
  ['keys of a tree without a state', get('//sessions/bare/state'), 404, 'state_not_found'],
  ['a second state', keys('POST', '', { initial_state: {} }), 409, 'state_exists'],
];

/** The kid may change the second task. */
export const SCOPE: readonly Row[] = [
  [
    'the whole document with another place changed',
    put({ data: { ...NOW, n: 3 } }, KID),
    403,
    'write_scope_violation',
    { pointer: '/n', allowed: ['/tasks/1'] },
  ],
  ['a patch elsewhere', patch([replaceN], KID), 403, 'write_scope_violation'],
  [
    'a merge patch elsewhere',
    { method: 'PATCH', to: '', body: { n: 3 }, headers: { ...MERGE_PATCH, ...KID } },
    403,
    'write_scope_violation',
  ],
  [
    'an operator elsewhere',
    ops({ op: 'increment', pointer: '/n', delta: 1 }, KID),
    403,
    'write_scope_violation',
  ],
  [
    'a move into the scope, which takes it away elsewhere',
    patch([{ op: 'move', from: '/n', path: '/tasks/1/n' }], KID),
    403,
    'write_scope_violation',
  ],
  [
    'a move out of the scope',
    patch([{ op: 'move', from: '/tasks/1/id', path: '/title' }], KID),
    403,
    'write_scope_violation',
  ],
  [
    'a copy out of the scope',
    patch([{ op: 'copy', from: '/tasks/1', path: '/tasks/0' }], KID),
    403,
    'write_scope_violation',
  ],
  [
    'an item in front of others',
    patch([{ op: 'add', path: '/tasks/0', value: {} }], KID),
    403,
    'write_scope_violation',
  ],
  ['the list around the scope', patch([{ op: 'remove', path: '/tasks' }], KID), 403, 'write_scope_violation'],
  [
    'the whole document away',
    patch([{ op: 'replace', path: '', value: {} }], KID),
    403,
    'write_scope_violation',
  ],
  ['a key outside', keys('PUT', '/keys/n', { value: 3 }, KID), 403, 'write_scope_violation'],
  [
    'a batch with a key outside',
    keys('POST', '/batch', { operations: [{ op: 'set', key: 'n', value: 3 }] }, KID),
    403,
    'write_scope_violation',
  ],
  ['a revert of others', post('/revert', { to_version: 2 }, KID), 403, 'write_scope_violation'],
  ['a dry run of the same', patch([replaceN], KID, '?dry_run=true'), 403, 'write_scope_violation'],
];
