// Use case: list workflow states, with their documents if requested.
import { describeDamage, RecordDamagedError } from '../../domain/damage/damage.js';
import { mayUse } from '../../domain/access/access.js';
import { invalidMember, ok, type Result } from '../../domain/errors.js';
import { isJsonObject } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import { timeOf } from '../../domain/rfc3339.js';
import type * as api from '../../ports/api/index.js';
import type { PageRequest } from '../../ports/storage/page.js';
import { boundedPage } from '../bounded-page.js';
import type { Caller } from '../caller.js';
import { andThen, listedTree, nullIfDamaged, pageRequest } from '../results.js';
import { stateSummary } from '../views.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import { rootName, schemaOf, type EnvelopesParts } from './envelopes.js';

interface Parts extends EnvelopesParts {
  readonly texts: DocumentTexts;
}

export function listStates(
  caller: Caller<Parts>,
  query: api.StateListQuery,
): Promise<Result<api.Listed<api.StateSummary>>> {
  const { store, limits, texts } = caller.context;
  return andThen(mayUse(caller.actor, 'read'), () =>
    andThen(listFilter(caller, query), async (filter) => {
      const read = (page: PageRequest) => store.read.states(filter, page);
      if (query.include === 'data') {
        const into = (head: StateHead) => withDocument(caller, head);
        const itemBytesMax = limits.stateBytesMax;
        return boundedPage(query, limits, { itemBytesMax, read, into, bytesOf: bytesIn(texts) });
      }
      const { items, nextCursor } = await read(pageRequest(query, limits));
      const summaries = await Promise.all(items.map((head) => summaryOrNull(caller, head)));
      return ok({ items: summaries.filter((one) => one !== null), next_cursor: nextCursor });
    }),
  );
}

async function summary(caller: Caller<Parts>, head: StateHead): Promise<api.StateSummary> {
  return stateSummary(head, await schemaOf(caller, head), await rootName(caller, head.stateId));
}

const summaryOrNull = (caller: Caller<Parts>, head: StateHead) => nullIfDamaged(summary(caller, head));

/** Names the damage in place of a document that cannot be read: it must not hide the other states. */
async function withDocument(caller: Caller<Parts>, head: StateHead): Promise<api.StateSummary | null> {
  const facts = await summaryOrNull(caller, head);
  if (facts === null) return null;
  try {
    const document = await caller.context.documents.at(head);
    return document === null ? facts : { ...facts, current_data: document };
  } catch (error) {
    if (!(error instanceof RecordDamagedError)) throw error;
    const { kind, id, column } = error.damage;
    const detail = `${describeDamage(error.damage)}.`;
    return { ...facts, damaged: { record: kind, record_id: id, column, detail } };
  }
}

/** The size of the document alone: the other members are small. */
function bytesIn(texts: DocumentTexts): (state: api.StateSummary | null) => number {
  return (state) => {
    const document = state?.current_data;
    return document !== undefined && isJsonObject(document) ? texts.bytes(document) : 0;
  };
}

async function listFilter(caller: Caller<Parts>, query: api.StateListQuery) {
  const tree = await listedTree(caller, query.root_session);
  if (!tree.ok) return tree;
  const since = query.updated_since === undefined ? undefined : timeOf(query.updated_since);
  if (since === null) {
    return invalidMember(
      '/query/updated_since',
      'is not a time as in RFC 3339',
      'such as 2026-01-31T09:30:00Z or 2026-01-31T10:30:00+01:00',
    );
  }
  return ok({
    rootSessionId: tree.value,
    schemaName: query.schema,
    search: query.search,
    orphaned: query.orphaned,
    updatedSince: since,
  });
}
