// `countersign token …`: works on the database directly, because no token may exist yet that the service would
// accept.
import {
  createOutput,
  EXIT,
  harmless,
  jsonText,
  styleOf,
  table,
  time,
  type CliIo,
  type Output,
  type TokenCreateOptions,
  type TokenListOptions,
  type TokenRevokeOptions,
} from '../../cli/index.js';
import { ok } from '../../domain/errors.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { Token } from '../../domain/records/records.js';
import { TokenService } from '../../service/index.js';
import { databaseKind, openStore } from '../../store/index.js';
import { openReadOnly, whyNotWritable } from '../../store/sqlite/index.js';
import { RandomIds, systemClock } from '../clock.js';
import { databaseLocation } from '../database-location.js';
import { orFailure } from '../process/failure.js';

/** Creates a token and prints its secret, which is stored as a hash only. @returns The exit code. */
export function createToken(options: TokenCreateOptions, io: CliIo): Promise<number> {
  return onTokens(options, io, MAY_CREATE, async (tokens, out) => {
    const created = await tokens.create(options.name, options.role);
    if (!created.ok) return out.refuse(created.failure);
    const { token, secret } = created.value;
    if (options.json) io.stdout.write(`${jsonText({ ...viewOf(token), token: secret })}\n`);
    else
      io.stdout.write(
        `${secret}\nIt is shown this once and kept as a hash only. Use it as: Authorization: Bearer …\n`,
      );
    return EXIT.ok;
  });
}

/** Prints all tokens, including revoked ones. @returns The exit code. */
export async function listTokens(options: TokenListOptions, io: CliIo): Promise<number> {
  const print = (tokens: readonly Token[]) => {
    const items = tokens.map(viewOf);
    if (options.json) io.stdout.write(`${jsonText({ items, next_cursor: null })}\n`);
    else {
      const rows = items.map((one) => [
        one.token_id,
        one.name,
        one.role,
        time(one.created_at),
        time(one.revoked_at),
      ]);
      io.stdout.write(table(['ID', 'NAME', 'ROLE', 'CREATED', 'REVOKED'], rows, styleOf(io)));
    }
    return EXIT.ok;
  };
  const read = await orFailure(async () => ok(await tokensOfReadOnly(options.db)));
  if (!read.ok) return createOutput(io, options.json).refuse(read.failure);
  if (read.value !== null) return print(read.value);
  return onTokens(options, io, MUST_EXIST, async (tokens) => print(await tokens.list()));
}

/** The tokens of a file that this process may only read; `null` for any other database. */
async function tokensOfReadOnly(db: string | undefined): Promise<readonly Token[] | null> {
  const { path } = databaseLocation(db, false);
  if (databaseKind(path) !== 'file' || whyNotWritable(path) === null) return null;
  const database = openReadOnly(path);
  try {
    return await database.tokens();
  } finally {
    database.close();
  }
}

/** Revokes the token with this id, or the valid token with this name. @returns The exit code. */
export function revokeToken(options: TokenRevokeOptions, io: CliIo): Promise<number> {
  return onTokens(options, io, MUST_EXIST, async (tokens, out) => {
    const revoked = await tokens.revoke(options.token);
    if (!revoked.ok) return out.refuse(revoked.failure);
    const { value } = revoked;
    io.stdout.write(options.json ? `${jsonText(viewOf(value))}\n` : `${harmless(value.name)} is revoked.\n`);
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

/** The first token may be created before the service has ever run. */
const MAY_CREATE = { mustExist: false };
/** A missing database has no tokens: the path is wrong. */
const MUST_EXIST = { mustExist: true };

async function onTokens(
  { db, json }: TokenListOptions,
  io: CliIo,
  how: { readonly mustExist: boolean },
  work: (tokens: TokenService, out: Output) => Promise<number>,
): Promise<number> {
  const out = createOutput(io, json);
  const done = await orFailure(async () => {
    const store = await openStore({ db: databaseLocation(db, !how.mustExist).path, ...how });
    try {
      const options = { store, clock: systemClock, ids: new RandomIds(), limits: DEFAULT_LIMITS };
      return ok(await work(new TokenService(options), out));
    } finally {
      await store.close();
    }
  });
  return done.ok ? done.value : out.refuse(done.failure);
}
