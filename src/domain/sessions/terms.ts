// Refuses terms that can never be met when they are set: a contract or a write scope that no write can satisfy.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import { isForbiddenName } from '../json/json.js';
import { formatPointer, locationText, overlaps, parsePointer } from '../json/pointer.js';
import type { Completion, CompletionSettings, StateHead } from '../records/records.js';
import {
  ANY_DOCUMENT,
  closedSentence,
  type Closed,
  type KnownSchema,
  type RequiredAt,
  type RuledOut,
} from '../transactions/schema-answers.js';
import { scopeText, type WriteScope } from '../writes/write-scope.js';

/** Pointers to the terms in a request. */
const CONTRACT = '/completion/contract';
const SCOPE = '/completion/write_scope';

/**
 * Checks that a child can meet its terms.
 *
 * @param asked - The requested write scope. One that is only inherited needs no state.
 * @returns Nothing; or `contract_impossible` if contract and scope exclude each other, `contract_impossible` or
 *   `write_scope_impossible` for locations that no document has, `state_required`, `write_scope_impossible` if there is
 *   something to record and nothing may be written, `contract_impossible` or `write_scope_impossible` by the state's
 *   schema, in this order. Without a state, the last is a contract that nothing satisfies.
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
  const { documentDepthMax } = unit.context.limits;
  const beyond = ruledOutOf(settings, ({ pointer }) => outOfReach(pointer, documentDepthMax));
  if (beyond !== null) return impossible(beyond, null, '');
  const { stateId } = unit.tree(rootSessionId);
  if (stateId === null && settings.awaitState !== true) {
    return contract === null && asked === null
      ? ok(null)
      : noStateYet(contract === null ? SCOPE : CONTRACT, contract === null ? 'write scope' : 'contract');
  }
  if (settings.mode !== 'never' && writeScope?.length === 0) return nothingToWrite();
  return checkAgainst(unit, settings, stateId === null ? null : unit.view(rootSessionId), stateId);
}

/** Checks the terms against the schema of the state; of one that is still to come, against what all schemas say. */
function checkAgainst(
  unit: UnitOfWork,
  settings: CompletionSettings,
  view: ReturnType<UnitOfWork['view']>,
  stateId: string | null,
): Result<null> {
  if (stateId !== null && (view === null || isLenient(unit.records.states.get(stateId)))) return ok(null);
  const schema = view === null ? ANY_DOCUMENT : { hash: view.schemaHash, schema: view.schema };
  const found = ruledOutOf(settings, (terms) => unit.context.ruledOut(schema, terms));
  return found === null ? ok(null) : impossible(found, view?.schemaName ?? null, '');
}

/** What prevents a value at a location of any document; `null` if nothing does. */
function outOfReach(pointer: string, depthMax: number): Closed | null {
  const segments = parsePointer(pointer) ?? [];
  const at = segments.findIndex(isForbiddenName);
  if (at >= 0) {
    const message = `can have no member "${String(segments[at])}"`;
    return { pointer: formatPointer(segments.slice(0, at)), message, members: null };
  }
  if (segments.length <= depthMax) return null;
  const message = `can have no members, because a document has at most ${String(depthMax)} levels`;
  return { pointer: formatPointer(segments.slice(0, depthMax)), message, members: null };
}

/** The failure for a session that is held to record something, and may write nothing. */
function nothingToWrite() {
  return fail(
    'write_scope_impossible',
    'The write scope is empty, so that the session may change nothing, but it is to record its result. Say "mode": "never" in completion, or give it places to write. A session whose own scope is empty hands that on.',
    { pointer: SCOPE, place: '', allowed: [] },
  );
}

/** Checks contract and write scope against each other, without the state. */
function checkReach({ contract, writeScope }: CompletionSettings): Result<null> {
  if (contract === null || writeScope === null) return ok(null);
  if (writeScope.some((location) => overlaps(location, contract.pointer))) return ok(null);
  return fail(
    'contract_impossible',
    `The contract is about ${locationText(contract.pointer)}, but the session may change only ${scopeText(writeScope)}. Give a write scope that reaches there, or a contract within it.`,
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
  readonly pointer: string;
  readonly closed: Closed;
}

/**
 * @param closedAt - What prevents a location, or a value there; `null` if nothing does.
 * @returns `null` if the terms may be possible.
 */
function ruledOutOf(
  { contract, writeScope }: CompletionSettings,
  closedAt: (terms: RequiredAt) => Closed | null,
): RuledOutTerms | null {
  if (contract !== null) {
    const { pointer } = contract;
    const closed = closedAt({ pointer, schema: { hash: contract.schemaHash, schema: contract.schema } });
    if (closed !== null) return { of: 'contract', pointer, closed };
  }
  let last: RuledOutTerms | null = null;
  for (const pointer of writeScope ?? []) {
    const closed = closedAt({ pointer });
    if (closed === null) return null;
    last ??= { of: 'write_scope', pointer, closed };
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
    const found = ruledOutOf(completion.settings, (terms) => ruledOut(schema, terms));
    if (found !== null) return impossible(found, schema.name, sessionName);
  }
  return ok(null);
}

/**
 * @param schemaName - The schema that rules the terms out; `null` if no document can meet them.
 * @param session - The session of the terms; empty if the request itself sets them.
 */
function impossible(
  { of, pointer: location, closed }: RuledOutTerms,
  schemaName: string | null,
  session: string,
) {
  const [code, what, pointer] =
    of === 'contract'
      ? (['contract_impossible', `contract about ${locationText(location)}`, CONTRACT] as const)
      : (['write_scope_impossible', `write scope ${locationText(location)}`, SCOPE] as const);
  const whose = session === '' ? `The ${what}` : `The ${what} of ${session}, which is under way,`;
  const where = schemaName === null ? '' : ` under the workflow schema ${schemaName}`;
  const fix =
    session === ''
      ? `Name a place and values that ${schemaName === null ? 'a document can have' : 'the schema allows'}.`
      : 'Use a schema that leaves room for it, or stop that session first.';
  return fail(code, `${whose} can never be met${where}: ${closedSentence(closed)}. ${fix}`, {
    ...(session === '' ? { pointer } : { session }),
    place: location,
    closed_at: closed.pointer,
    ...(closed.members === null ? {} : { members: closed.members }),
  });
}
