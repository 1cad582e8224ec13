// What the decision about batches needs to release the completions that their writes complete: the documents as the
// writes leave them. So the callbacks are in the same commit.
import type { Violation } from '../../domain/errors.js';
import type { Completion } from '../../domain/records/records.js';
import type { DecisionContext, DocumentView } from '../../domain/transactions/decision-context.js';
import type { Contracts } from '../completion/contracts.js';
import type { WriteBatch } from './write-batch.js';

interface Parts {
  readonly contracts: Contracts;
  readonly transactions: { context(): DecisionContext };
}

/** What is not in memory is left out: a decision that needs it is stale. */
export function withWrittenDocuments(
  { contracts, transactions }: Parts,
  batches: readonly WriteBatch[],
): DecisionContext {
  const batchOf = (stateId: string) => batches.find((one) => one.stateId === stateId);
  return {
    ...transactions.context(),
    documentOf: ({ stateId }) => batchOf(stateId)?.viewAfter(),
    contractViolationsOf: (completion, view) =>
      batchOf(view.stateId)?.resultOf(completion) ?? resultAtOnce(contracts, completion, view),
  };
}

function resultAtOnce(
  contracts: Contracts,
  completion: Completion,
  view: DocumentView,
): readonly Violation[] | undefined {
  const result = contracts.contractViolations(completion, view);
  if (!(result instanceof Promise)) return result;
  // A later decision needs it, and reports its error.
  result.catch(() => undefined);
  return undefined;
}
