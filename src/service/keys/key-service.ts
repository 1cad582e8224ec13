// Use cases of the key view, which shows the top-level members of a tree's document as keys with versions of
// their own. It uses the same document and the same write path as the rest of the service.
import { ok, type Result } from '../../domain/errors.js';
import { ownMember, type JsonValue } from '../../domain/json/json.js';
import type { EventKind, StateHead } from '../../domain/records/records.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { noState } from '../../domain/states/write.js';
import type * as api from '../../ports/api/index.js';
import type { KeyReplaceOptions, KeyService, KeyWriteOptions } from '../../ports/key-service.js';
import { eventPage, pageEnd } from '../documents/event-pages.js';
import { rootName, writtenView } from '../states/envelopes.js';
import type { StateFactsCache } from '../states/state-facts.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { Caller } from '../caller.js';
import { andThen, headOfTree, reachSession } from '../results.js';
import { mayUse, reachRecord, type Right } from '../../domain/access/access.js';
import { noSession } from '../../domain/sessions/create.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import { documentAt } from '../documents/state-versions.js';
import { sawAll, sawPart } from '../reads/note-reads.js';
import type { WriteResult } from '../writes/prepare-write.js';
import { writeOnce } from '../writes/write-receipts.js';
import { writeState, type WriteStateParts } from '../writes/write-state.js';
import type { KnownRecords } from '../known-records.js';
import { batchOf, batchResult } from './batch.js';
import { noKey, type KeyConditions, type KeyExpectation } from '../../domain/keys/conditions.js';
import type { KeyVersions } from '../documents/key-versions.js';
import { keysView, keyView, keyWritten } from './key-view.js';
import { openState, type OpenStateParts } from './open-state.js';
import { typedEvents } from './typed-events.js';

export interface KeyServiceParts extends WriteStateParts, OpenStateParts {
  readonly facts: StateFactsCache;
  readonly keyVersions: KeyVersions;
  readonly slices: TimeSlices;
  readonly known: KnownRecords;
}

export function keyService(caller: Caller<KeyServiceParts>): KeyService {
  const { context } = caller;
  const { keyVersions, limits } = context;

  const one = (
    session: string,
    key: string,
    kind: EventKind,
    operation: JsonValue,
    loads: readonly KeyExpectation[],
    options: OnBase = {},
  ) =>
    andThen(
      writeOnce(context, false, () =>
        andThen(reachState(caller, session), (state) => {
          const conditions = { conditions: loads.map((expected) => ({ key, expected })), batch: false };
          const within = formatPointer([key]);
          return writeKeys(caller, state, { kind, operations: [operation], options, within }, conditions);
        }),
      ),
      async (wrote) => {
        const written = await keyWritten(keyVersions, wrote, key);
        return ok((await isNew(caller, wrote, key)) ? { ...written, created: true } : written);
      },
    );
  const at = (key: string) => formatPointer([key]);

  const service: KeyService = {
    open: (session, body) => openState(caller, session, body),
    all: (session) =>
      andThen(reachHead(caller, 'read', session), (head) =>
        andThen(documentAt(caller, head), async ({ document }) => {
          await sawAll(caller, head.stateId, head.version);
          return ok(await keysView(keyVersions, { head, document }, context.slices));
        }),
      ),
    get: (session, key) =>
      andThen(reachHead(caller, 'read', session), (head) =>
        andThen(documentAt(caller, head), async ({ document }) => {
          const view = await keyView(keyVersions, { head, document }, key);
          if (view === null) return noKey(key);
          await sawPart(caller, head.stateId, at(key), head.version);
          return ok({ ...view, global_version: head.version });
        }),
      ),
    set: (session, key, value, options) =>
      one(
        session,
        key,
        'key_set',
        { op: 'set', pointer: at(key), value },
        expectationsOf(options),
        baseOf(options),
      ),
    remove: (session, key, options) =>
      one(
        session,
        key,
        'key_delete',
        { op: 'delete', pointer: at(key) },
        ['present', ...expectationsOf(options)],
        baseOf(options),
      ),
    operate: (session, key, { operation, ...operand }, options) => {
      const kind =
        operation === 'merge' ? 'key_patch' : operation === 'append' ? 'key_append' : 'key_increment';
      const operator = { op: operation, pointer: at(key), ...operand };
      return one(session, key, kind, operator, expectationsOf(options));
    },
    batch: (session, body) =>
      andThen(
        writeOnce(context, false, () =>
          andThen(reachState(caller, session), (state) =>
            andThen(batchOf(body, limits), ({ operations, conditions }) =>
              writeKeys(caller, state, { kind: 'key_batch', operations, options: {} }, conditions),
            ),
          ),
        ),
        (wrote) => ok(batchResult(body, wrote)),
      ),
    events: (session, query) =>
      andThen(reachHead(caller, 'read', session), async ({ stateId }) =>
        andThen(eventPage(context, stateId, query), async (page) => {
          const typed = (await context.slices.map(page.events, typedEvents)).flat();
          const { key } = query;
          const events = key === undefined ? typed : typed.filter((one) => (one.key ?? key) === key);
          return ok({ events, ...pageEnd(page) });
        }),
      ),
    append: (session, event) =>
      event.type === 'full_replace' ? replaceAll(caller, session, event) : appended(service, session, event),
  };
  return service;
}

/** The expectations in the order in which they are checked: first what must exist, then what must not. */
function expectationsOf({
  ifMatch,
  ofState,
  ifAbsent,
  ifNoneMatch,
}: KeyWriteOptions): readonly KeyExpectation[] {
  const loads: KeyExpectation[] = [];
  if (ifMatch === '*') loads.push('there');
  else if (typeof ifMatch === 'object') loads.push({ oneOf: ifMatch });
  else if (ifMatch !== undefined) {
    loads.push(ofState === undefined ? ifMatch : { version: ifMatch, stateId: ofState });
  }
  if (ifAbsent === true) loads.push('absent');
  if (ifNoneMatch !== undefined) loads.push({ noneOf: ifNoneMatch });
  return loads;
}

/** What a write is based on. */
type OnBase = Pick<KeyReplaceOptions, 'baseVersion' | 'onConflict'>;

function baseOf({ baseVersion, onConflict }: OnBase): OnBase {
  return { baseVersion, onConflict };
}

/** True if the write created the key. */
async function isNew(
  { context }: Caller<KeyServiceParts>,
  wrote: WriteResult,
  key: string,
): Promise<boolean> {
  const { changed, head, document } = wrote;
  if (!changed || ownMember(document, key) === undefined) return false;
  const before = wrote.before ?? (await context.documents.past(head.stateId, head.version - 1));
  return before !== null && ownMember(before, key) === undefined;
}

async function reachHead(
  caller: Caller<KeyServiceParts>,
  right: Right,
  session: string,
): Promise<Result<StateHead>> {
  return andThen(reachSession(caller, right, session), async ({ rootSessionId, sessionName }) => {
    const head = await headOfTree(caller.context.store, rootSessionId);
    return head === null ? noKeyState(sessionName) : ok(head);
  });
}

const noKeyState = (sessionName: string) =>
  noState(`of ${sessionName}; its root opens one with POST /sessions/{id}/state`);

/** The state of a session's tree, for a write. */
type KeyState = Pick<StateHead, 'stateId' | 'rootSessionId'>;

/** The state that a write of a session's keys goes to, from the cached records: the write itself finds out the rest. */
function reachState(
  { context: { known }, actor }: Caller<KeyServiceParts>,
  idOrName: string,
): MaybePromise<Result<KeyState>> {
  const may = mayUse(actor, 'orchestrate');
  if (!may.ok) return may;
  return after(known.session(idOrName), (session): MaybePromise<Result<KeyState>> => {
    const reached = reachRecord(actor, session, () => noSession(idOrName));
    if (!reached.ok) return reached;
    const { rootSessionId, sessionName } = reached.value;
    return after(known.tree(rootSessionId), (tree) => {
      const stateId = tree?.stateId ?? null;
      return stateId === null ? noKeyState(sessionName) : ok({ stateId, rootSessionId });
    });
  });
}

interface KeyWrite {
  readonly kind: EventKind;
  readonly operations: readonly JsonValue[];
  readonly options: OnBase;
  /** The only location that it changes. */
  readonly within?: string;
}

function writeKeys(
  caller: Caller<KeyServiceParts>,
  head: KeyState,
  write: KeyWrite,
  conditions: KeyConditions,
): Promise<Result<WriteResult>> {
  const { stateId } = head;
  return writeState(caller, head, {
    stateId,
    form: 'ops',
    kind: write.kind,
    payload: write.operations,
    options: write.options,
    ...(write.within === undefined ? {} : { within: write.within }),
    ...(conditions.conditions.length > 0 ? { conditions } : {}),
  });
}

async function replaceAll(
  caller: Caller<KeyServiceParts>,
  session: string,
  event: api.KeyEventAppend & { type: 'full_replace' },
) {
  const { context } = caller;
  const options = { baseVersion: event.base_version, onConflict: event.on_conflict };
  const written = writeOnce(context, false, () =>
    andThen(reachState(caller, session), (state) =>
      writeState(caller, state, { stateId: state.stateId, form: 'replace', payload: event.value, options }),
    ),
  );
  return andThen(written, async (result) =>
    ok(writtenView(result, await rootName(caller, result.head.stateId))),
  );
}

function appended(
  service: KeyService,
  session: string,
  event: Exclude<api.KeyEventAppend, { type: 'full_replace' }>,
): Promise<Result<api.KeyWritten>> {
  const options = { ifMatch: event.if_match };
  switch (event.type) {
    case 'set':
      return service.set(session, event.key, event.value, options);
    case 'delete':
      return service.remove(session, event.key, options);
    case 'patch':
      return service.operate(session, event.key, { operation: 'merge', patch: event.patch }, options);
    case 'increment':
      return service.operate(session, event.key, { operation: 'increment', delta: event.delta }, options);
    case 'append':
      return service.operate(session, event.key, { operation: 'append', items: event.items }, options);
  }
}
