// Use cases of tokens. They need only a store: an operator creates the first token before the service starts for
// the first time.
import { createToken, revokeToken } from '../../domain/access/tokens.js';
import { ok, type Result } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';
import type { Role, Token } from '../../domain/records/records.js';
import { deciding, type Rule } from '../../domain/decisions/decide.js';
import { STALE } from '../../domain/transactions/decision-context.js';
import type { Clock, IdSource } from '../../ports/runtime.js';
import type { Store } from '../../ports/storage/store.js';
import { bareContext } from '../transactions/bare-context.js';
import { secretHash } from './secrets.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
}

interface CreatedToken {
  readonly token: Token;
  /** The token itself. Only its hash is stored, so it is shown this once. */
  readonly secret: string;
}

export class TokenService {
  constructor(private readonly parts: Parts) {}

  /** @returns The token; or `token_exists`. */
  async create(name: string, role: Role): Promise<Result<CreatedToken>> {
    const secret = `cs_${role}_${this.parts.ids.newSecret()}`;
    const command = { name, role, hash: secretHash(secret) };
    const made = await this.#decide((unit) => createToken(unit, command));
    return made.ok ? ok({ token: made.value, secret }) : made;
  }

  /** Every token, revoked ones too, oldest first. */
  list(): Promise<readonly Token[]> {
    return this.parts.store.read.tokens();
  }

  /** @param named - Id or name of a token in force. @returns The token; or `token_not_found`. */
  revoke(named: string): Promise<Result<Token>> {
    return this.#decide((unit) => revokeToken(unit, named));
  }

  async #decide<T>(rule: Rule<T>): Promise<Result<T>> {
    const loads = [{ load: 'tokens' }] as const;
    const result = await this.parts.store.transact(
      loads,
      deciding(bareContext({ ...this.parts, keys: null }), rule, loads),
    );
    if (result === STALE) throw new Error('a decision about tokens looks at no document');
    return result;
  }
}
