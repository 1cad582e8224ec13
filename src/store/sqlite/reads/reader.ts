// Reads records outside decisions. Each result except the doctor's shows a single point in time: reads of
// several statements run in a transaction, because another thread may write between them.
import type { RecordKind } from '../../../domain/damage/damage.js';
import { NO_KEYS } from '../../../domain/evidence/check.js';
import { verifiedHead, type ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { Completion } from '../../../domain/records/records.js';
import type { Page, PageRequest } from '../../../ports/storage/page.js';
import type { AuditWork } from '../../../ports/storage/audit.js';
import type { Reader } from '../../../ports/storage/reader.js';
import { NOTHING_KNOWN, type KnownRecords } from '../../../ports/storage/store.js';
import { audit } from '../../doctor/audit.js';
import { CHECKS } from '../../doctor/checks.js';
import { runChecks } from '../../doctor/run-checks.js';
import { auditSource } from '../doctor/audit-source.js';
import type { Db } from '../db.js';
import { counts } from '../../reads/counts.js';
import { Feed, type FeedStatements } from '../../reads/feed.js';
import { History } from '../../reads/history.js';
import { HistoryRanges } from '../../reads/history-ranges.js';
import { runNow, type RunQuery, type Steps } from '../../steps.js';
import { rangeStatements } from './history-ranges.js';
import { answer, storageErrorOf, whyUnreadable } from '../faults.js';
import { feedStatements } from './feed.js';
import { historyStatements } from './history.js';
import { listReads } from './lists.js';
import { listStates } from './state-lists.js';
import { prepareReads } from './statements.js';
import { allIntact, onlyIntact, intactOrNull, type OnDamage } from '../../rows/intact-rows.js';
import * as tables from '../tables/tables.js';
import * as timers from './timers.js';
import { WebhookReads } from './webhook-reads.js';
import * as lists from '../../lists/lists.js';
import { pageOf, type List, type ListQuery, type Row } from '../../lists/pages.js';

/** A `Reader` on one SQLite connection. */
export class SqliteReader implements Reader {
  readonly webhooks: WebhookReads;
  readonly #db: Db;
  readonly #lists: ReturnType<typeof listReads>;
  readonly #onDamage: OnDamage;
  readonly #sound: <T extends object>(kind: RecordKind, found: readonly T[]) => readonly T[];
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #history: History;
  readonly #feed: Feed;
  readonly #feedStatements: FeedStatements;
  readonly #ranges: HistoryRanges;

  constructor(
    db: Db,
    onDamage: OnDamage = () => undefined,
    private readonly evidence: ReportedEvidence = { ...NO_KEYS, report: onDamage },
    private readonly known: KnownRecords = NOTHING_KNOWN,
  ) {
    this.#db = db;
    this.#lists = listReads(db);
    this.#onDamage = onDamage;
    this.#sound = (kind, found) => onlyIntact(kind, found, onDamage);
    this.#reads = prepareReads(db);
    this.#history = new History(historyStatements(db), evidence);
    this.#feed = new Feed(evidence, onDamage);
    this.#feedStatements = feedStatements(db);
    this.#ranges = new HistoryRanges(rangeStatements(db), onDamage);
    this.webhooks = new WebhookReads(db, onDamage);
  }

  #atOneMoment<T>(read: () => T): Promise<T> {
    return answer(() => this.#db.transaction(read));
  }

  /** Reads with several statements, one after another. */
  #carriedOut<T>(steps: Steps<T>): Promise<T> {
    return this.#atOneMoment(() => runNow(steps));
  }

  #page<T extends object>(
    list: List,
    page: PageRequest,
    read: (query: ListQuery) => readonly Row<T>[],
  ): Promise<Page<T>> {
    return this.#carriedOut(pageOf(list, page, this.#onDamage, read));
  }

  session = (idOrName: string) =>
    answer(
      () =>
        this.known.session(idOrName)?.session ??
        intactOrNull(
          'session',
          this.#reads.session.get({ id: idOrName }) ?? this.#reads.sessionByName.get({ id: idOrName }),
        ),
    );

  sessions: Reader['sessions'] = (filter, page) =>
    this.#page(lists.sessions(tables, filter, page), page, this.#lists.sessions);

  tree = (rootSessionId: string) =>
    answer(
      () =>
        this.known.tree(rootSessionId) ?? intactOrNull('tree', this.#reads.tree.get({ id: rootSessionId })),
    );

  completion = (sessionId: string, generation?: number) =>
    answer(
      () =>
        this.#knownCompletion(sessionId, generation) ??
        intactOrNull(
          'completion',
          generation === undefined
            ? this.#reads.presentCompletion.get({ id: sessionId })
            : this.#reads.completion.get({ id: sessionId, generation }),
        ),
    );

  #knownCompletion(sessionId: string, generation?: number): Completion | undefined {
    const known = this.known.session(sessionId);
    if (known?.session.sessionId !== sessionId) return undefined;
    const named = generation ?? known.session.generation;
    return known.completions.find((one) => one.generation === named);
  }

  openCompletions = (rootSessionId: string) =>
    answer(() => this.#sound('completion', this.#reads.openCompletions.all({ id: rootSessionId })));

  receipt: Reader['receipt'] = ({ receiptId: id, rootSessionId: root }) =>
    answer(() => intactOrNull('receipt', this.#reads.receipt.get({ id, root })));

  receiptsOf: Reader['receiptsOf'] = ({ receiptId: id, rootSessionId: root }) =>
    answer(() => allIntact('receipt', this.#reads.receiptsOf.all({ id, root })));

  run = (runId: string) => answer(() => intactOrNull('run', this.#reads.run.get({ id: runId })));

  completions: Reader['completions'] = (filter, page) =>
    this.#page(lists.completions(tables, filter, page), page, this.#lists.completions);

  runs: Reader['runs'] = (filter, page) =>
    this.#page(lists.runs(tables, filter, page), page, this.#lists.runs);

  runner = (runnerId: string) =>
    answer(() => this.#sound('runner', this.#reads.runner.all({ id: runnerId }))[0] ?? null);

  runners = () => answer(() => this.#sound('runner', this.#reads.runners.all()));

  workRuns = (sessionId: string) =>
    this.#atOneMoment(() => {
      const [first, last] = [this.#reads.firstWorkRuns, this.#reads.lastWorkRuns].map((read) =>
        this.#sound('run', read.all({ id: sessionId })),
      );
      const all = [...(first ?? []), ...(last ?? []).toReversed()];
      return [...new Map(all.map((run) => [run.runId, run])).values()];
    });
  runsOfRunner = (runnerId: string) =>
    answer(() => this.#sound('run', this.#reads.runsOfRunner.all({ id: runnerId })));

  callback = (callbackId: string) =>
    answer(() => intactOrNull('callback', this.#reads.callback.get({ id: callbackId })));

  callbacks: Reader['callbacks'] = (filter, page) =>
    this.#page(lists.callbacks(tables, filter, page), page, this.#lists.callbacks);

  schema = (name: string, version?: number) =>
    answer(() =>
      intactOrNull(
        'schema',
        version === undefined
          ? this.#reads.newestSchema.get({ id: name })
          : this.#reads.schemaVersion.get({ id: name, version }),
      ),
    );

  schemaById = (schemaId: string) =>
    answer(() => intactOrNull('schema', this.#reads.schemaById.get({ id: schemaId })));

  schemas: Reader['schemas'] = (filter, page) =>
    this.#page(lists.schemas(tables, filter), page, this.#lists.schemas);

  schemaVersions = (name: string, page: PageRequest) =>
    this.#page(lists.schemaVersions(tables, name), page, this.#lists.schemaVersions);

  state = (stateId: string) =>
    answer(() => {
      const head = intactOrNull('state', this.#reads.state.get({ id: stateId }));
      return head === null ? null : verifiedHead(this.evidence, head);
    });

  states: Reader['states'] = (filter, page) =>
    this.#atOneMoment(() => runNow(listStates(this.#db, filter, page, this.#onDamage)));

  document = (stateId: string, version?: number) =>
    this.#carriedOut(this.#history.document(stateId, version));

  schemaIdAt = (stateId: string, version: number) =>
    this.#carriedOut(this.#history.schemaIdAt(stateId, version));

  events = (stateId: string, since: number, limit: number, bytesMax: number) =>
    this.#carriedOut(this.#history.events(stateId, since, limit, bytesMax));

  oldestVersion = (stateId: string) => this.#carriedOut(this.#ranges.oldestVersion(stateId));

  feed: Reader['feed'] = (...asked) => this.#carriedOut(this.#feed.page(this.#feedStatements, ...asked));

  feedEnd = () => answer(() => runNow(this.#feed.end(this.#feedStatements)));

  historyRanges = (agedBefore: number, page: PageRequest) =>
    this.#carriedOut(this.#ranges.page(agedBefore, page));

  archive = (archiveId: string) =>
    answer(() => intactOrNull('archive', this.#reads.archive.get({ id: archiveId })));

  readCursor = (sessionId: string, stateId: string) =>
    answer(() => {
      const row = this.#reads.readCursor.get({ id: sessionId, state: stateId });
      // A damaged read cursor counts as missing: the session then reads again.
      return row === undefined ? null : (this.#sound('read_mark', [row])[0] ?? null);
    });

  tokenByHash = (hash: string) =>
    answer(() => intactOrNull('token', this.#reads.tokenByHash.get({ id: hash })));

  tokens = () => answer(() => this.#sound('token', this.#reads.tokens.all()));

  due = (now: number, limit: number) => answer(() => timers.due(this.#reads, now, limit));

  nextDueAt = (now: number) => answer(() => timers.nextDueAt(this.#reads, now));

  unattended = (limit: number) => this.#atOneMoment(() => timers.unattended(this.#db, limit));

  counts = () => this.#carriedOut(counts(this.#query));

  doctor = (_now: number, limit: number) =>
    runChecks(this.#query, CHECKS, limit, whyUnreadable).catch((error: unknown) =>
      Promise.reject(storageErrorOf(error)),
    );

  audit = (limit: number, work: AuditWork) =>
    audit(auditSource(this.#db, this.#query, this.evidence), limit, work);

  /** Runs a query of a check. */
  readonly #query: RunQuery = (query) => this.#db.all(query);
}
