// The keys of the queries: a name may be any word, so no two queries may share a key, whatever they ask for.
import { expect, it } from 'vitest';
import * as lists from '../../src/dashboard/api/list-queries.js';
import * as views from '../../src/dashboard/api/queries.js';
import { Countersign } from '../../src/client/index.js';

const client = new Countersign({ url: 'http://127.0.0.1:1' });
const NAMES = ['running', 'pending', 'failed', 'list', 'one', 'status', 'tree', 'of', 'open', 'dead'];

const SESSION_QUERIES = [
  views.session,
  views.tree,
  views.sessionResult,
  views.completion,
  views.callbackOf,
  views.openCompletions,
  views.treeCompletions,
  views.state,
  views.keys,
  views.workflow,
  lists.run,
  lists.runsOfSession,
  lists.webhook,
];

it('no name or id makes the key of another query', () => {
  const fixed = [
    views.sessions(client, 'running'),
    views.sessions(client, 'pending'),
    views.completions(client, 'pending'),
    views.completions(client, 'failed'),
    views.deadCallbacks(client),
    lists.runs(client, {}),
    lists.completionList(client, {}),
    lists.callbacks(client, {}),
    lists.webhooks(client),
    views.states(client, {}),
  ];
  const keys = [
    ...fixed,
    ...SESSION_QUERIES.flatMap((query) => NAMES.map((name) => query(client, name))),
  ].map(({ queryKey }) => JSON.stringify(queryKey));
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});
