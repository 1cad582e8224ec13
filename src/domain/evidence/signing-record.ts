// The stored record of the signing key, and what a process does with it when it opens the database.
import { hash } from 'node:crypto';
import { isJsonObject, parsedJson, quoted } from '../json/json.js';
import type { SigningKeys } from './keys.js';

/** Kept once in each signed database, and signed itself. */
interface SigningRecord {
  /** The key that signs. */
  readonly keyId: string;
  /** Keys that signed before. Only events may still have their signatures. */
  readonly retired: readonly string[];
}

interface Refused {
  readonly do: 'refuse';
  /** A sentence without its full stop. */
  readonly refused: string;
  /** True if somebody has edited the record: no secret fits. */
  readonly isEdited: boolean;
}

/** What to do before the database is used. */
type SigningPlan =
  | { readonly do: 'nothing'; readonly retired: readonly string[] }
  /** Sign every state as it stands, and keep the record. */
  | { readonly do: 'begin'; readonly record: SigningRecord }
  /** Sign again what the key before has signed, and keep the record. */
  | { readonly do: 'rotate'; readonly record: SigningRecord }
  | Refused;

/** The signing state that the database has. */
export interface FoundSigning {
  /** The text of the record; `undefined` if there is none. */
  readonly text: string | undefined;
  readonly isAnySigned: boolean;
}

const SECRET = 'COUNTERSIGN_SIGNING_SECRET';

export function planSigning(keys: SigningKeys | null, found: FoundSigning): SigningPlan {
  const { text, isAnySigned } = found;
  const stored = text === undefined ? undefined : parsed(text);
  if (stored === null) return edited('the record of its signing key cannot be read');
  if (stored === undefined && isAnySigned)
    return edited('it has signed histories, and the record of its signing key is missing');
  if (keys === null) {
    if (stored === undefined) return { do: 'nothing', retired: [] };
    return refuse(
      `its histories are signed with the key ${stored.keyId}; set ${SECRET} to the secret of that key`,
    );
  }
  if (stored === undefined) return { do: 'begin', record: { keyId: keys.id, retired: [] } };
  switch (keys.check(recordHash(stored), stored.signature)) {
    case 'unknown_key':
      return refuse(
        `its histories are signed with the key ${stored.keyId}, and ${SECRET} is the secret of the key ${keys.id}; to change the secret, set ${SECRET}_PREVIOUS to the one before`,
      );
    case 'differs':
      return edited('the record of its signing key fails verification');
    case 'holds':
      break;
  }
  const { keyId, retired } = stored;
  if (keyId === keys.id) return { do: 'nothing', retired };
  const before = [...retired.filter((id) => id !== keys.id), keyId];
  return { do: 'rotate', record: { keyId: keys.id, retired: before } };
}

/** The text that is kept. */
export function signingText(keys: SigningKeys, record: SigningRecord): string {
  return JSON.stringify({ ...record, signature: keys.sign(recordHash(record)) });
}

function recordHash({ keyId, retired }: SigningRecord): string {
  return hash(
    'sha256',
    `{"key_id":${quoted(keyId)},"record":"signing","retired":[${retired.map(quoted).join()}]}`,
  );
}

function parsed(text: string): (SigningRecord & { readonly signature: string }) | null {
  const value = parsedJson(text);
  if (!isJsonObject(value)) return null;
  const { keyId, retired, signature } = value;
  if (typeof keyId !== 'string' || typeof signature !== 'string' || !Array.isArray(retired)) return null;
  const ids = retired.filter((id) => typeof id === 'string');
  return ids.length === retired.length ? { keyId, retired: ids, signature } : null;
}

function refuse(refused: string): SigningPlan {
  return { do: 'refuse', refused, isEdited: false };
}

function edited(how: string): SigningPlan {
  return { do: 'refuse', refused: `it was edited: ${how}`, isEdited: true };
}
