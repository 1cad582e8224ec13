// `countersign verify`: verifies the histories of a database or an export. Changes nothing.
import type { CliIo, Verification, VerifyOptions } from '../../cli/index.js';
import { fail, ok, type Result } from '../../domain/errors.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import { noState } from '../../domain/states/write.js';
import { replayPatch, verifyExport } from '../../service/index.js';
import { openHistories, verifyHistories } from '../../store/index.js';
import { databaseLocation } from '../database-location.js';
import { orFailure } from '../process/failure.js';
import { evidenceFor } from './evidence.js';
import { signingKeysOf } from './signing-keys.js';

/**
 * @returns What was found; or `invalid_request` if there is nothing that can be verified, or with another secret only; or
 *   `state_tampered` if the record of the secret's key was edited.
 */
export function verify(options: VerifyOptions, env: CliIo['env']): Promise<Result<Verification>> {
  return orFailure(() => {
    const keys = signingKeysOf(env);
    return options.file === null
      ? verifyDatabase(options, keys)
      : verifyFile(options.file, options.expectedHead, keys);
  });
}

async function verifyDatabase(
  { db, stateId, expectedHead }: VerifyOptions,
  keys: SigningKeys | null,
): Promise<Result<Verification>> {
  const database = await openHistories(databaseLocation(db, false).path);
  try {
    const found = await database.signing();
    const isSigned = found.text !== undefined || found.isAnySigned;
    const given = evidenceFor(keys, found, 'verified');
    if (!given.ok) return given;
    const evidence = given.value;
    const isChecked = evidence.keys !== null;
    const work = { apply: replayPatch, expectedHash: expectedHead ?? undefined };
    const verified = await verifyHistories(database.histories(evidence), stateId, work);
    if (verified === null) return noState(stateId ?? '');
    const { states, events, unsigned, tampered, tamperedStates, isExpected } = verified;
    return ok({
      holds: tamperedStates === 0 && (expectedHead === null || isExpected),
      states,
      events,
      unsigned_events: unsigned,
      signatures: isChecked ? 'checked' : isSigned ? 'not_checked' : 'none',
      tampered_states: tamperedStates,
      tampered: tampered.map((one) => ({ state_id: one.stateId, version: one.version, what: one.what })),
      expected_head_found: expectedHead === null ? null : isExpected,
    });
  } finally {
    await database.close();
  }
}

function verifyFile(
  file: NonNullable<VerifyOptions['file']>,
  expectedHead: string | null,
  keys: SigningKeys | null,
): Result<Verification> {
  const verified = verifyExport(file.content, { keys, retired: [] }, expectedHead ?? undefined);
  if (verified === null)
    return fail('invalid_request', `${file.name} is no export with a history (state export --history).`);
  const { stateId, events, unsigned, first, isExpected } = verified;
  const isSigned = unsigned < events;
  return ok({
    holds: first === null && (expectedHead === null || isExpected),
    states: 1,
    events,
    unsigned_events: unsigned,
    signatures: !isSigned ? 'none' : keys === null ? 'not_checked' : 'checked',
    tampered_states: first === null ? 0 : 1,
    tampered: first === null ? [] : [{ state_id: stateId, ...first }],
    expected_head_found: expectedHead === null ? null : isExpected,
  });
}
