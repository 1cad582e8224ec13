// Refuses terms that can never be met when they are set: a contract or a write scope that no write can satisfy.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import { overlaps } from '../json/pointer.js';
import type { Completion, CompletionSettings, Contract, StateHead } from '../records/records.js';
import { closedSentence, type Closed, type KnownSchema, type RuledOut } from '../schemas/room.js';
import type { WriteScope } from './write-scope.js';

/** Pointers to the terms in a request. */
const CONTRACT = '/completion/contract';
const SCOPE = '/completion/write_scope';

/**
 * Checks that a child can meet its terms.
 *
 * @param asked - The requested write scope. One that is only inherited needs no state.
 * @returns Nothing; or `contract_impossible` if contract and scope exclude each other, `state_required`,
 *   `contract_impossible` or `write_scope_impossible`, in this order.
 */
export function checkTerms(
  unit: UnitOfWork,
  rootSessionId: string,
  settings: CompletionSettings,
  asked: WriteScope,
): Result<null> {
  const { contract, writeScope } = settings;
  if (contract === null && writeScope === null) return ok(null);
  const apart = checkReach(settings);
  if (!apart.ok) return apart;
  const { stateId } = unit.tree(rootSessionId);
  if (stateId === null) {
    return settings.awaitState === true || (contract === null && asked === null)
      ? ok(null)
      : noStateYet(contract === null ? SCOPE : CONTRACT, contract === null ? 'write scope' : 'contract');
  }
  const view = unit.view(rootSessionId);
  const head = unit.records.states.get(stateId);
  if (view === null || isLenient(head)) return ok(null);
  const found = ruledOutOf({ hash: view.schemaHash, schema: view.schema }, settings, unit.context.ruledOut);
  return found === null ? ok(null) : impossible(found, view.schemaName, '');
}

/** Checks contract and write scope against each other, without the state. */
function checkReach({ contract, writeScope }: CompletionSettings): Result<null> {
  if (contract === null || writeScope === null) return ok(null);
  if (writeScope.some((place) => overlaps(place, contract.pointer))) return ok(null);
  const allowed = writeScope.length === 0 ? 'nothing' : writeScope.join(', ');
  return fail(
    'contract_impossible',
    `The contract is about ${placeOf(contract)}, but the session may change only ${allowed}. Give a write scope that reaches there, or a contract within it.`,
    { pointer: `${CONTRACT}/pointer`, place: contract.pointer, allowed: writeScope },
  );
}

function noStateYet(pointer: string, what: string) {
  return fail(
    'state_required',
    `The tree has no workflow state, so that nothing can be held to the ${what}. Create the state first (as the root), or say "await_state": true in completion where the root is to open it later.`,
    { pointer },
  );
}

/** True if the document may violate the schema. The schema alone then says nothing about what is possible. */
function isLenient(head: StateHead | undefined): boolean {
  return head?.lenient === true;
}

/** Terms that a schema rules out. */
interface RuledOutTerms {
  readonly of: 'contract' | 'write_scope';
  readonly place: string;
  readonly closed: Closed;
}

/** @returns `null` if the terms may be possible. */
function ruledOutOf(
  schema: KnownSchema,
  { contract, writeScope }: CompletionSettings,
  ruledOut: RuledOut,
): RuledOutTerms | null {
  if (contract !== null) {
    const { pointer } = contract;
    const wanted = { hash: contract.schemaHash, schema: contract.schema };
    const closed = ruledOut(schema, { pointer, schema: wanted });
    if (closed !== null) return { of: 'contract', place: pointer, closed };
  }
  if (writeScope === null || writeScope.length === 0) return null;
  let last: RuledOutTerms | null = null;
  for (const place of writeScope) {
    const closed = ruledOut(schema, { pointer: place });
    if (closed === null) return null;
    last ??= { of: 'write_scope', place, closed };
  }
  return last;
}

/**
 * Checks that a new schema of the state allows the terms of the tree's open completions.
 *
 * @returns Nothing; or `contract_impossible` or `write_scope_impossible`, with the session.
 */
export function checkOpenTerms(
  open: readonly { readonly completion: Completion; readonly sessionName: string }[],
  schema: KnownSchema & { readonly name: string },
  ruledOut: RuledOut,
): Result<null> {
  for (const { completion, sessionName } of open) {
    const found = ruledOutOf(schema, completion.settings, ruledOut);
    if (found !== null) return impossible(found, schema.name, sessionName);
  }
  return ok(null);
}

/** @param session - The session of the terms; empty if the request itself sets them. */
function impossible({ of, place, closed }: RuledOutTerms, schemaName: string, session: string) {
  const said = place === '' ? 'the whole document' : place;
  const [code, what, pointer] =
    of === 'contract'
      ? (['contract_impossible', `contract about ${said}`, CONTRACT] as const)
      : (['write_scope_impossible', `write scope ${said}`, SCOPE] as const);
  const whose = session === '' ? `The ${what}` : `The ${what} of ${session}, which is under way,`;
  const fix =
    session === ''
      ? 'Name a place and values that the schema allows.'
      : 'Use a schema that leaves room for it, or stop that session first.';
  return fail(
    code,
    `${whose} can never be met under the workflow schema ${schemaName}: ${closedSentence(closed)}. ${fix}`,
    {
      ...(session === '' ? { pointer } : { session }),
      place,
      closed_at: closed.pointer,
      ...(closed.members === null ? {} : { members: closed.members }),
    },
  );
}

function placeOf({ pointer }: Contract): string {
  return pointer === '' ? 'the whole document' : pointer;
}
