// One client that writes, and notes what it was told. Knows how to send a write and what may come of it; what it writes is
// in the forms.
import { pause } from '../../support/eventually.js';
import type { Random } from '../random.js';
import type { Effect, Journal } from './journal.js';
import type { Answer, Came, Sent, Wire } from './wire.js';

/** What all writers share. */
export interface Load {
  readonly wire: Wire;
  /** Number of the coordinator's life: whoever remembers something of an earlier one looks again. */
  life(): number;
  /** Something that must not happen. */
  fault(words: string): void;
}

export interface Attempt extends Sent {
  readonly token?: string | undefined;
  /** The version on which alone it may be written. */
  readonly expected?: number | undefined;
  readonly effects?: readonly Effect[] | undefined;
  /** Codes of refusals that are in order. */
  readonly mayBe?: readonly string[] | undefined;
}

const PACE_MS = 20;
/** One request in so many is hung up on before its answer can be known to have come. */
const HANG_UP_ONE_IN = 150;

export class Writer {
  #count = 0;
  /** A write of its own may still take effect, or have: the answer was lost. */
  uncertain = false;
  /** Requests that were sent again with their key. */
  retried = 0;

  constructor(
    readonly number: number,
    readonly load: Load,
    readonly random: Random,
  ) {}

  /** A text that no other request has. */
  token(): string {
    this.#count += 1;
    return `t${String(this.number)}-${String(this.#count)}`;
  }

  /** @returns The answer where the write was accepted, else `null`. */
  async write(journal: Journal, attempt: Attempt): Promise<Answer | null> {
    const hangUpMs = this.#hangUpMs();
    const came = await this.load.wire.send({ ...attempt, hangUpMs });
    if (came.kind === 'away') await pause(PACE_MS);
    return this.#settle(journal, attempt, came, null);
  }

  /** Sent again with its key until it is answered; now and then once more after that. */
  async writeOnce(journal: Journal, attempt: Attempt): Promise<Answer | null> {
    const key = `${attempt.token ?? ''} of ${journal.stateId}`;
    const keyed = { ...attempt, headers: { ...attempt.headers, 'idempotency-key': key } };
    let invokedAt: number | null = null;
    for (;;) {
      const hangUpMs = this.random.fraction() < 0.3 ? this.random.between(0, 8) : undefined;
      const came = await this.load.wire.send({ ...keyed, hangUpMs });
      if (came.kind !== 'away') invokedAt ??= came.invokedAt;
      const open = came.kind !== 'answer' || came.body?.error === 'idempotency_in_flight';
      if (!open) {
        const answer = this.#settle(journal, attempt, came, invokedAt);
        if (answer !== null && this.random.fraction() < 0.2) await this.#again(keyed, answer);
        return answer;
      }
      if (came.kind !== 'away') this.retried += 1;
      await pause(this.random.between(1, PACE_MS));
    }
  }

  /** A request that must not change anything, whatever is answered. */
  async vain(journal: Journal, attempt: Attempt, status: number): Promise<Answer | null> {
    const came = await this.load.wire.send(attempt);
    if (attempt.token !== undefined) journal.fates.set(attempt.token, 'void');
    if (came.kind !== 'answer') return null;
    const error = came.body?.error;
    const expected = status === 200 || (attempt.mayBe ?? []).includes(error);
    if (came.status !== status || !expected) this.#fault(attempt, came);
    return came;
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer | null> {
    const came = await this.load.wire.send({ method: 'GET', path, headers });
    if (came.kind === 'answer') return came;
    await pause(PACE_MS);
    return null;
  }

  async #again(sent: Sent, first: Answer): Promise<void> {
    const came = await this.load.wire.send(sent);
    if (came.kind !== 'answer') return;
    const same = came.status === first.status && came.body.version === first.body.version;
    if (!same || came.headers['idempotency-replayed'] !== 'true') this.#fault(sent, came);
  }

  #settle(journal: Journal, attempt: Attempt, came: Came, invokedAt: number | null): Answer | null {
    const { token, expected, effects = [], mayBe = [] } = attempt;
    const id = `${attempt.method} ${attempt.path} (${token ?? `w${String(this.number)}`})`;
    if (came.kind === 'lost') {
      this.uncertain = true;
      journal.lost(id, came.invokedAt, token ?? null, effects);
      return null;
    }
    if (came.kind === 'answer' && (came.status === 200 || came.status === 201)) {
      journal.wrote(id, came, { invokedAt: invokedAt ?? came.invokedAt, expected, token, effects });
      return came;
    }
    if (token !== undefined) journal.fates.set(token, 'void');
    if (came.kind === 'away') return null;
    const error: string = came.body?.error;
    if (error === 'version_conflict' && expected !== undefined && came.body.current_data !== undefined) {
      journal.conflict(id, came, expected);
    }
    if (!mayBe.includes(error)) this.#fault(attempt, came);
    return null;
  }

  #hangUpMs(): number | undefined {
    return this.random.between(1, HANG_UP_ONE_IN) === 1 ? this.random.between(0, 8) : undefined;
  }

  #fault({ method, path, body = null }: Sent, { status, body: answer }: Answer): void {
    const [sent, came] = [JSON.stringify(body).slice(0, 300), JSON.stringify(answer).slice(0, 600)];
    this.load.fault(`${method} ${path} ${sent} was answered ${String(status)} ${came}`);
  }
}
