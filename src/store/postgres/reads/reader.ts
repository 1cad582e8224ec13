// Reads records outside decisions. Each result except the doctor's shows a single point in time: reads of
// several statements run in a transaction.
import { eq, or, sql, type SQL } from 'drizzle-orm';
import type { ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { RecordKind } from '../../../domain/damage/damage.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import type { AuditWork } from '../../../ports/storage/audit.js';
import type { Reader } from '../../../ports/storage/reader.js';
import { connect, first, perConnection, queryOn } from '../connection/db.js';
import { audit } from '../../doctor/audit.js';
import { CHECKS } from '../../doctor/checks.js';
import { auditSource } from '../doctor/audit-source.js';
import { runChecks } from '../../doctor/run-checks.js';
import type { Connection, Connections } from '../connection/connections.js';
import { counts } from '../../reads/counts.js';
import { Feed } from '../../reads/feed.js';
import { HistoryRanges } from '../../reads/history-ranges.js';
import { run, type RunQuery, type Steps } from '../../steps.js';
import { rangeStatements } from './history-ranges.js';
import { feedStatements, prepareFeed } from './feed.js';
import { prepareReads } from './statements.js';
import { prepareHistory } from './history.js';
import { listReads } from './lists.js';
import { allIntact, onlyIntact, intactOrNull, type OnDamage } from '../../rows/intact-rows.js';
import { waitForStable } from '../commit-numbers.js';
import { FEED_BLOCK } from '../writes/commits/commit-log.js';
import type { Roots } from '../roots.js';
import { ReadTogether } from './read-together.js';
import { TreeReads } from './tree-reads.js';
import * as lists from '../../lists/lists.js';
import { pageOf, type List, type ListQuery, type Row } from '../../lists/pages.js';
import * as tables from '../tables/tables.js';
import * as timers from './timers.js';
import { WebhookReads } from './webhook-reads.js';

/** The prepared reads of one connection. */
function prepareAll(connection: Connection, roots: Roots, onDamage: OnDamage) {
  const db = connect(connection);
  return {
    db,
    one: prepareReads(db),
    lists: listReads(db),
    history: prepareHistory(db),
    feed: prepareFeed(db),
    ranges: new HistoryRanges(
      rangeStatements(db, (stateId) => roots.of({ of: 'state', id: stateId }, () => connection)),
      onDamage,
    ),
  };
}

type Prepared = ReturnType<typeof prepareAll>;

/** A `Reader` on the connections of a pool. */
export class PostgresReader implements Reader {
  readonly webhooks: WebhookReads;
  readonly #connections: Connections;
  readonly #inTrees: TreeReads;
  readonly #together: ReadTogether;
  readonly #onDamage: OnDamage;
  readonly #evidence: ReportedEvidence;
  readonly #of: (connection: Connection) => Prepared;
  readonly #feed: Feed;
  readonly #waitMs: number;

  /**
   * @param roots - Which tree a record belongs to.
   * @param waitMs - How long a read of the feed waits for commits in progress.
   */
  constructor(
    connections: Connections,
    roots: Roots,
    onDamage: OnDamage,
    evidence: ReportedEvidence,
    waitMs: number,
  ) {
    this.#connections = connections;
    this.#together = new ReadTogether(connections);
    this.#waitMs = waitMs;
    this.#onDamage = onDamage;
    this.#feed = new Feed(evidence, onDamage);
    this.#evidence = evidence;
    this.#of = perConnection((connection) => prepareAll(connection, roots, onDamage));
    this.#inTrees = new TreeReads({
      connections,
      together: this.#together,
      roots,
      of: (connection) => this.#of(connection),
      onDamage,
      evidence,
    });
    this.webhooks = new WebhookReads(connections, onDamage);
  }

  /** Reads with one statement. */
  #read<T>(read: (prepared: Prepared) => Promise<T>): Promise<T> {
    return this.#connections.use((connection) => read(this.#of(connection)));
  }

  /** Reads a record with one statement, or with two. */
  #byKey<T>(read: (one: Prepared['one']) => Promise<T>): Promise<T> {
    return this.#together.read((connection) => read(this.#of(connection).one));
  }

  /** Reads a page of a list. */
  #page<T extends object>(
    list: List,
    page: PageRequest,
    read: (lists: Prepared['lists']) => (query: ListQuery) => Promise<readonly Row<T>[]>,
  ): Promise<Page<T>> {
    return this.#read(({ lists: of }) => run(pageOf(list, page, this.#onDamage, read(of))));
  }

  /** Reads with several statements. */
  #atOneMoment<T>(read: (prepared: Prepared) => Promise<T>): Promise<T> {
    return this.#connections.atOneMoment((connection) => read(this.#of(connection)));
  }

  /** Reads with several statements, one after another. */
  #carriedOut<T>(steps: (prepared: Prepared) => Steps<T>): Promise<T> {
    return this.#atOneMoment((prepared) => run(steps(prepared)));
  }

  /** Reads a record by its key. @throws RecordDamagedError */
  #record<T extends object>(
    kind: RecordKind,
    read: (one: Prepared['one']) => PromiseLike<readonly T[]>,
  ): Promise<T | null> {
    return this.#byKey(async (one) => intactOrNull(kind, await first(read(one))));
  }

  /** Reads a list. Damaged records are left out. */
  #records<T extends object>(
    kind: RecordKind,
    read: (one: Prepared['one']) => PromiseLike<readonly T[]>,
  ): Promise<readonly T[]> {
    return this.#read(async ({ one }) => onlyIntact(kind, await read(one), this.#onDamage));
  }

  session: Reader['session'] = (...asked) => this.#inTrees.session(...asked);

  sessions: Reader['sessions'] = (filter, page) =>
    this.#page(lists.sessions(tables, filter, page), page, (of) => of.sessions);

  tree = (rootSessionId: string) => this.#record('tree', (one) => one.tree.execute({ id: rootSessionId }));

  completion: Reader['completion'] = (...asked) => this.#inTrees.completion(...asked);

  openCompletions = (rootSessionId: string) =>
    this.#records('completion', (one) => one.openCompletions.execute({ id: rootSessionId }));

  receipt: Reader['receipt'] = ({ receiptId: id, rootSessionId: root }) =>
    this.#record('receipt', (one) => one.receipt.execute({ id, root }));

  receiptsOf: Reader['receiptsOf'] = ({ receiptId: id, rootSessionId: root }) =>
    this.#byKey(async (one) => allIntact('receipt', await one.receiptsOf.execute({ id, root })));

  run: Reader['run'] = (runId) => this.#inTrees.run(runId);

  completions: Reader['completions'] = (filter, page) =>
    this.#page(lists.completions(tables, filter, page), page, (of) => of.completions);

  runs: Reader['runs'] = (filter, page) =>
    this.#page(lists.runs(tables, filter, page), page, (of) => of.runs);

  runner = async (runnerId: string) =>
    (await this.#records('runner', (one) => one.runner.execute({ id: runnerId })))[0] ?? null;

  runners = () => this.#records('runner', (one) => one.runners.execute());

  workRuns: Reader['workRuns'] = (sessionId) => this.#inTrees.workRuns(sessionId);

  runsOfRunner = (runnerId: string) =>
    this.#records('run', (one) => one.runsOfRunner.execute({ id: runnerId }));

  callback: Reader['callback'] = (callbackId) => this.#inTrees.callback(callbackId);

  callbacks: Reader['callbacks'] = (filter, page) =>
    this.#page(lists.callbacks(tables, filter, page), page, (of) => of.callbacks);

  schema = async (name: string, version?: number) => {
    // The server refuses a number that is no bigint, instead of finding nothing.
    if (version !== undefined && !Number.isSafeInteger(version)) return null;
    return this.#record('schema', (one) =>
      version === undefined
        ? one.newestSchema.execute({ id: name })
        : one.schemaVersion.execute({ id: name, version }),
    );
  };

  schemaById = (schemaId: string) =>
    this.#record('schema', (one) => one.schemaById.execute({ id: schemaId }));

  schemas: Reader['schemas'] = (filter, page) =>
    this.#page(lists.schemas(tables, filter), page, (of) => of.schemas);

  schemaVersions = (name: string, page: PageRequest) =>
    this.#page(lists.schemaVersions(tables, name), page, (of) => of.schemaVersions);

  state: Reader['state'] = (stateId) => this.#inTrees.state(stateId);

  states: Reader['states'] = (filter, page) =>
    this.#page(lists.states(tables, filter, page, search(filter)), page, (of) => of.states);

  document: Reader['document'] = (...asked) => this.#inTrees.document(...asked);

  schemaIdAt: Reader['schemaIdAt'] = (...asked) => this.#inTrees.schemaIdAt(...asked);

  events: Reader['events'] = (...asked) => this.#inTrees.events(...asked);

  oldestVersion = (stateId: string) => this.#read(({ ranges }) => run(ranges.oldestVersion(stateId)));

  feed: Reader['feed'] = async (...asked) => {
    const last = await this.#lastFeedNumber();
    return this.#carriedOut(({ feed }) => this.#feed.page(feedStatements(feed, last), ...asked));
  };

  feedEnd = async () => {
    const last = await this.#lastFeedNumber();
    return this.#read(({ feed }) => run(this.#feed.end(feedStatements(feed, last))));
  };

  /** Call it before a read of the feed begins: then that read sees all commits up to this number. */
  async #lastFeedNumber(): Promise<number> {
    const { through } = await waitForStable(this.#connections, this.#waitMs);
    return (through + 1) * FEED_BLOCK - 1;
  }

  historyRanges = (agedBefore: number, page: PageRequest) =>
    this.#carriedOut(({ ranges }) => ranges.page(agedBefore, page));

  archive = (archiveId: string) => this.#record('archive', (one) => one.archive.execute({ id: archiveId }));

  readCursor: Reader['readCursor'] = (...asked) => this.#inTrees.readCursor(...asked);

  tokenByHash = (hash: string) => this.#record('token', (one) => one.tokenByHash.execute({ id: hash }));

  tokens = () => this.#records('token', (one) => one.tokens.execute());

  due = (now: number, limit: number) => this.#read(({ db }) => timers.due(db, now, limit));

  nextDueAt = (now: number) => this.#read(({ db }) => timers.nextDueAt(db, now));

  unattended = (limit: number) => this.#read(({ db }) => timers.unattended(db, limit));

  counts = () => this.#carriedOut(({ db }) => counts(queryOn(db)));

  doctor = (_now: number, limit: number) => runChecks(this.#query, CHECKS, limit, () => null);

  audit = (limit: number, work: AuditWork) =>
    audit(
      auditSource((read) => this.#read(({ db }) => read(db)), this.#query, this.#evidence),
      limit,
      work,
    );

  /** Runs a query of a check. */
  readonly #query: RunQuery = (query) => this.#read(async ({ db }) => queryOn(db)(query));
}

/** States with this id, or whose root has a name that starts so. */
function search({ search: text }: lists.Filter<'states'>): SQL | undefined {
  if (text === undefined) return undefined;
  const { states } = tables;
  return or(
    eq(states.stateId, text),
    sql`${states.rootSessionId} in (select session_id from sessions where ${lists.isRootNamed(tables, text)})`,
  );
}
