// Reads records of a tree by the root of the tree and their key. The root is looked up first, if it is not known.
import { verifiedHead, type ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { RecordKind } from '../../../domain/damage/damage.js';
import type { Run } from '../../../domain/records/records.js';
import { mayBeSessionId } from '../../../domain/session-ids.js';
import type { Reader } from '../../../ports/storage/reader.js';
import { History } from '../../reads/history.js';
import { intactOrNull, onlyIntact, type OnDamage } from '../../rows/intact-rows.js';
import { run, type Steps } from '../../steps.js';
import { first } from '../connection/db.js';
import type { Connection, Connections } from '../connection/connections.js';
import type { Roots } from '../roots.js';
import type { Lookup } from '../writes/commits/commit-keys.js';
import { historyStatements, type PreparedHistory } from './history.js';
import type { ReadTogether } from './read-together.js';
import type { PreparedReads } from './statements.js';

/** The prepared reads of one connection. */
interface Prepared {
  readonly one: PreparedReads;
  readonly history: PreparedHistory;
}

interface TreeReadsParts {
  readonly connections: Connections;
  readonly together: ReadTogether;
  readonly roots: Roots;
  readonly of: (connection: Connection) => Prepared;
  readonly onDamage: OnDamage;
  readonly evidence: ReportedEvidence;
}

type Reads = Pick<
  Reader,
  | 'session'
  | 'completion'
  | 'run'
  | 'workRuns'
  | 'callback'
  | 'state'
  | 'document'
  | 'schemaIdAt'
  | 'events'
  | 'readCursor'
>;

export class TreeReads implements Reads {
  constructor(private readonly parts: TreeReadsParts) {}

  /** @param none - The result if there is no such record. */
  #inTreeOf<T>(lookup: Lookup, read: (one: PreparedReads, root: string) => Promise<T>, none: T): Promise<T> {
    const { together, roots, of } = this.parts;
    return together.read(async (connection) => {
      const root = await roots.of(lookup, () => connection);
      return root === undefined ? none : read(of(connection).one, root);
    });
  }

  /** @throws RecordDamagedError */
  #record<T extends object>(
    kind: RecordKind,
    lookup: Lookup,
    read: (one: PreparedReads, root: string) => PromiseLike<readonly T[]>,
  ): Promise<T | null> {
    return this.#inTreeOf(
      lookup,
      async (one, root) => intactOrNull(kind, await first(read(one, root))),
      null,
    );
  }

  /** Reads with several statements, which see one point in time. */
  #atOneMoment<T>(
    lookup: Lookup,
    read: (prepared: Prepared, root: string) => Promise<T>,
    none: T,
  ): Promise<T> {
    const { connections, roots, of } = this.parts;
    return connections.atOneMoment(async (connection) => {
      const root = await roots.of(lookup, () => connection);
      return root === undefined ? none : read(of(connection), root);
    });
  }

  #historyOf<T>(stateId: string, steps: (history: History) => Steps<T>, none: T): Promise<T> {
    return this.#atOneMoment(
      { of: 'state', id: stateId },
      ({ history }, root) => run(steps(new History(historyStatements(history, root), this.parts.evidence))),
      none,
    );
  }

  session: Reads['session'] = (idOrName) => {
    const { together, roots, of } = this.parts;
    return together.read(async (connection) => {
      const { one } = of(connection);
      const byId = async () => {
        if (!mayBeSessionId(idOrName)) return undefined;
        const root = await roots.of({ of: 'session', id: idOrName }, () => connection);
        return root === undefined ? undefined : first(one.session.execute({ root, id: idOrName }));
      };
      // Its name may have gone to another tree since.
      const byName = async () => {
        const root = roots.ofName(idOrName);
        const known =
          root === undefined ? undefined : await first(one.sessionByName.execute({ root, id: idOrName }));
        if (known !== undefined) return known;
        const found = await first(one.sessionOfAnyTree.execute({ id: idOrName }));
        if (found !== undefined) roots.noteName(found);
        return found;
      };
      const [withId, named] = await Promise.all([byId(), byName()]);
      return intactOrNull('session', withId ?? named);
    });
  };

  completion: Reads['completion'] = (sessionId, generation) =>
    this.#record('completion', { of: 'session', id: sessionId }, (one, root) =>
      generation === undefined
        ? one.presentCompletion.execute({ root, id: sessionId })
        : one.completion.execute({ root, id: sessionId, generation }),
    );

  run: Reads['run'] = (id) =>
    this.#record('run', { of: 'run', id }, (one, root) => one.run.execute({ root, id }));

  workRuns: Reads['workRuns'] = (id) =>
    this.#atOneMoment(
      { of: 'session', id },
      async ({ one }, root): Promise<readonly Run[]> => {
        const [oldest, newest] = await Promise.all([
          one.firstWorkRuns.execute({ root, id }),
          one.lastWorkRuns.execute({ root, id }),
        ]);
        const found = onlyIntact('run', [...oldest, ...newest.toReversed()], this.parts.onDamage);
        return [...new Map(found.map((run) => [run.runId, run])).values()];
      },
      [],
    );

  callback: Reads['callback'] = (id) =>
    this.#record('callback', { of: 'callback', id }, (one, root) => one.callback.execute({ root, id }));

  state: Reads['state'] = async (id) => {
    const lookup = { of: 'state', id } as const;
    const head = await this.#record('state', lookup, (one, root) => one.state.execute({ root, id }));
    return head === null ? null : verifiedHead(this.parts.evidence, head);
  };

  document: Reads['document'] = (stateId, version) =>
    this.#historyOf(stateId, (history) => history.document(stateId, version), null);

  schemaIdAt: Reads['schemaIdAt'] = (stateId, version) =>
    this.#historyOf(stateId, (history) => history.schemaIdAt(stateId, version), null);

  events: Reads['events'] = (stateId, ...asked) =>
    this.#historyOf(stateId, (history) => history.events(stateId, ...asked), { events: [], hasMore: false });

  readCursor: Reads['readCursor'] = (sessionId, stateId) =>
    this.#inTreeOf(
      { of: 'state', id: stateId },
      async (one, root) => {
        const rows = await one.readCursor.execute({ root, id: sessionId, state: stateId });
        // A damaged read cursor counts as missing: the session then reads again.
        return onlyIntact('read_mark', rows, this.parts.onDamage)[0] ?? null;
      },
      null,
    );
}
