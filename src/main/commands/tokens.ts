// `countersign token …`: works on the database directly, because no token may exist yet that the service would
// accept.
import {
  EXIT,
  harmless,
  jsonText,
  styleOf,
  table,
  time,
  type CliIo,
  type TokenCreateOptions,
  type TokenListOptions,
  type TokenRevokeOptions,
} from '../../cli/index.js';
import type { Token } from '../../domain/records/records.js';
import type { Store } from '../../ports/store.js';
import { secretHash } from '../../service/index.js';
import { openSqliteStore } from '../../store/sqlite/index.js';
import { randomIds, systemClock } from '../clock.js';
import { databasePlace } from '../database-place.js';
import { plainReason } from '../failure.js';

/** Creates a token and prints its secret, which is stored as a hash only. @returns The exit code. */
export function createToken(options: TokenCreateOptions, io: CliIo): Promise<number> {
  return onStore(options.db, io, MAY_CREATE, async (store) => {
    const taken = (await store.read.tokens()).some(
      (one) => one.name === options.name && one.revokedAt === null,
    );
    if (taken)
      return refuse(
        io,
        `There is a token named ${options.name} already; revoke it first, or choose another name.`,
      );
    const secret = `cs_${options.role}_${randomIds.newSecret()}`;
    const token: Token = {
      tokenId: randomIds.newId('tok'),
      name: options.name,
      role: options.role,
      hash: secretHash(secret),
      createdAt: systemClock.now(),
      revokedAt: null,
      revision: 1,
    };
    await store.transact([], () => ({ changes: [{ put: 'token', record: token }], value: null }));
    if (options.json) io.stdout.write(`${jsonText({ ...viewOf(token), token: secret })}\n`);
    else
      io.stdout.write(
        `${secret}\nIt is shown this once and kept as a hash only. Use it as: Authorization: Bearer …\n`,
      );
    return EXIT.ok;
  });
}

/** Prints all tokens, including revoked ones. @returns The exit code. */
export function listTokens(options: TokenListOptions, io: CliIo): Promise<number> {
  return onStore(options.db, io, MUST_EXIST, async (store) => {
    const tokens = (await store.read.tokens()).map(viewOf);
    if (options.json) io.stdout.write(`${jsonText({ items: tokens, next_cursor: null })}\n`);
    else {
      const rows = tokens.map((one) => [
        one.token_id,
        one.name,
        one.role,
        time(one.created_at),
        time(one.revoked_at),
      ]);
      io.stdout.write(table(['ID', 'NAME', 'ROLE', 'CREATED', 'REVOKED'], rows, styleOf(io)));
    }
    return EXIT.ok;
  });
}

/** Revokes the token with this id, or the valid token with this name. @returns The exit code. */
export function revokeToken(options: TokenRevokeOptions, io: CliIo): Promise<number> {
  return onStore(options.db, io, MUST_EXIST, async (store) => {
    const token = (await store.read.tokens()).find(
      (one) => one.revokedAt === null && (one.tokenId === options.token || one.name === options.token),
    );
    if (token === undefined) {
      io.stderr.write(`error: ${harmless(`There is no token ${options.token} in force.`)}\n`);
      return EXIT.notFound;
    }
    const revoked = { ...token, revokedAt: systemClock.now(), revision: token.revision + 1 };
    await store.transact([], () => ({ changes: [{ put: 'token', record: revoked }], value: null }));
    io.stdout.write(
      options.json ? `${jsonText(viewOf(revoked))}\n` : `${harmless(token.name)} is revoked.\n`,
    );
    return EXIT.ok;
  });
}

function viewOf(token: Token) {
  return {
    token_id: token.tokenId,
    name: token.name,
    role: token.role,
    created_at: new Date(token.createdAt).toISOString(),
    revoked_at: token.revokedAt === null ? null : new Date(token.revokedAt).toISOString(),
  };
}

function refuse(io: CliIo, why: string): number {
  io.stderr.write(`error: ${harmless(why)}\n`);
  return EXIT.conflict;
}

/** The first token may be created before the service has ever run. */
const MAY_CREATE = { mustExist: false };
/** A missing database has no tokens: the path is wrong. */
const MUST_EXIST = { mustExist: true };

async function onStore(
  db: string | undefined,
  io: CliIo,
  how: { readonly mustExist: boolean },
  work: (store: Store) => Promise<number>,
): Promise<number> {
  let store: Store;
  try {
    store = await openSqliteStore({ path: databasePlace(db, !how.mustExist).path, ...how });
  } catch (error) {
    const reason = plainReason(error);
    if (reason === null) throw error;
    io.stderr.write(`error: ${harmless(reason)}\n`);
    return EXIT.refused;
  }
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
