// Writes and reads of a state of 1 KB over 64 connections, against a bare Hono route that parses and echoes 1 KB.
import { join } from 'node:path';
import { coordinatorOn, echoes, patches, puts, same } from './coordinator.mjs';
import { documentOf, twoOperations } from './documents.mjs';
import { against, interleaved, round } from './load.mjs';
import { startEcho } from './processes.mjs';
import { figure, heading, line, rate, ratio } from './report.mjs';
import { groupedCommits } from './sqlite-bound.mjs';

const STATES = 1000;

export async function throughput({ dir, seconds, rounds }) {
  const document = documentOf(1000);
  const echo = await startEcho(document);
  const service = await coordinatorOn(join(dir, 'throughput.db'));
  const at = (url, next) => () => round({ url, next, seconds });
  try {
    const hot = await service.newState(document);
    const many = await service.newStates(STATES);
    const writes = await interleaved(rounds, {
      echo: at(echo.url, echoes(echo.url, document)),
      hot: at(service.url, patches(service.url, [hot])),
      many: at(service.url, patches(service.url, many)),
      put: at(service.url, puts(service.url, many)),
      sqlite: () => Promise.resolve(groupedCommits(join(dir, 'bound.db'), { seconds, group: 64 })),
    });
    heading('Durable writes of a 1 KB state, 64 connections');
    line('bare Hono echo of 1 KB', '1.00', '', rate(writes.echo));
    line(
      'PATCH, one hot state / echo',
      figure(against(writes.hot, writes.echo)),
      '>= 0.75',
      rate(writes.hot),
    );
    line(
      'PATCH, 1,000 states / echo',
      figure(against(writes.many, writes.echo)),
      '>= 0.45',
      rate(writes.many),
    );
    line('PUT, 1,000 states / echo', figure(against(writes.put, writes.echo)), '>= 0.35', rate(writes.put));
    line('p99 of the hot PATCH / p99 of the echo', ratio(writes.hot.p99, writes.echo.p99), '<= 3');
    line('bare better-sqlite3, groups of 64', '1.00', '', `${writes.sqlite.perSecond.toFixed(0)} rows/s`);
    line('PATCH, one hot state / better-sqlite3', figure(against(writes.hot, writes.sqlite)));

    const { version } = await service.call('PATCH', `/workflow-states/${hot}`, {
      operations: twoOperations(1),
    });
    const get = { method: 'GET', path: `/workflow-states/${hot}` };
    const known = { ...get, headers: { 'if-none-match': `"${String(version)}"` } };
    const reads = await interleaved(rounds, {
      echo: at(echo.url, echoes(echo.url, document)),
      bare: at(echo.url, same(echo.url, { method: 'GET', path: '/echo' })),
      get: at(service.url, same(service.url, get)),
      notModified: at(service.url, same(service.url, known)),
    });
    heading('Reads of a 1 KB state, 64 connections');
    line('bare Hono echo of 1 KB', '1.00', '', rate(reads.echo));
    line('GET / echo', figure(against(reads.get, reads.echo)), '>= 1.2', rate(reads.get));
    line(
      'GET answered 304 / echo',
      figure(against(reads.notModified, reads.echo)),
      '>= 1.5',
      rate(reads.notModified),
    );
    line('GET / a bare Hono GET', figure(against(reads.get, reads.bare)), '', rate(reads.bare));
  } finally {
    await Promise.all([echo.stop(), service.stop()]);
  }
}
