// What a command checks the histories of a database with: the keys of the environment, if they are those of the database.
import { fail, ok, type Result } from '../../domain/errors.js';
import { NO_KEYS, type Evidence } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import { planSigning, type FoundSigning } from '../../domain/evidence/signing-record.js';

/**
 * Without a secret, and where the database is not signed, the hashes alone are checked.
 *
 * @param work - What the command does, as a participle.
 * @returns `database_unusable` if the keys are those of another database; `state_tampered` if nobody can tell, because its
 *   record of the key was edited.
 */
export function evidenceFor(
  keys: SigningKeys | null,
  found: FoundSigning,
  work: 'verified' | 'examined',
): Result<Evidence> {
  const plan = planSigning(keys, found);
  switch (plan.do) {
    case 'refuse':
      // An examination goes on, and names what was edited.
      if (keys === null && (work === 'examined' || !plan.isEdited)) return ok(NO_KEYS);
      return fail(
        plan.isEdited ? 'state_tampered' : 'database_unusable',
        `The database cannot be ${work}: ${plan.refused}.`,
      );
    case 'begin':
      return ok(NO_KEYS);
    case 'nothing':
      return ok({ keys, retired: plan.retired });
    case 'rotate':
      return ok({ keys, retired: plan.record.retired });
  }
}
