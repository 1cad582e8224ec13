// What a command checks the histories of a database with: the keys of the environment, if they are those of the database.
import { NO_KEYS, type Evidence } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import { planSigning, type FoundSigning } from '../../domain/evidence/signing-record.js';

/** The evidence, or why the keys are not those of the database: a sentence without its full stop. */
type FoundEvidence = { readonly evidence: Evidence } | { readonly refused: string };

/** Without a secret, and where the database is not signed, the hashes alone are checked. */
export function evidenceFor(keys: SigningKeys | null, found: FoundSigning): FoundEvidence {
  if (keys === null) return { evidence: NO_KEYS };
  const plan = planSigning(keys, found);
  switch (plan.do) {
    case 'refuse':
      return { refused: plan.refused };
    case 'begin':
      return { evidence: NO_KEYS };
    case 'nothing':
      return { evidence: { keys, retired: plan.retired } };
    case 'rotate':
      return { evidence: { keys, retired: plan.record.retired } };
  }
}
