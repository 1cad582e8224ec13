// The keys that sign histories, from the environment: secrets are no flags, which others can see.
import type { CliIo } from '../../cli/index.js';
import {
  SECRET_CHARACTERS_MIN,
  SigningSecretError,
  signingKeys,
  type SigningKeys,
} from '../../domain/evidence/keys.js';

const NAME = 'COUNTERSIGN_SIGNING_SECRET';
const PREVIOUS = `${NAME}_PREVIOUS`;

/**
 * The keys; `null` if there is no secret. As with every variable, empty counts as absent. White space around a secret is
 * no part of it: files and shells add it.
 *
 * @throws SigningSecretError - A secret is too short, or there is only a previous one.
 */
export function signingKeysOf(env: CliIo['env']): SigningKeys | null {
  const secret = secretOf(env, NAME);
  const previous = secretOf(env, PREVIOUS);
  if (secret !== null) return signingKeys(secret, previous);
  if (previous === null) return null;
  throw new SigningSecretError(`${PREVIOUS} is set, but ${NAME} is not: it has to be the secret that signs`);
}

function secretOf(env: CliIo['env'], name: string): string | null {
  const secret = env[name]?.trim() ?? '';
  if (secret === '') return null;
  const characters = Array.from(secret).length;
  if (characters >= SECRET_CHARACTERS_MIN) return secret;
  throw new SigningSecretError(
    `${name} has ${String(characters)} characters; it needs at least ${String(SECRET_CHARACTERS_MIN)}, or it can be guessed from a signature. Make one with: openssl rand -hex 32`,
  );
}
