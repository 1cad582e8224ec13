// Which coordinator a database belongs to: a row in the database itself, which cannot be removed from beside it, and
// which every transaction of the owner looks at. Knows no other table.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type { TimeAway } from '../../../domain/scheduling/time-away.js';
import { DatabaseUnusableError } from '../../errors.js';
import type { Client } from '../connection.js';
import { readSetting, writeSetting } from '../settings.js';
import { bootId, isGone, thisProcess, type ProcessIdentity } from './process-identity.js';

/** Names of the rows in `settings`: whose the database is, and when that one was last there. */
export const OWNER = 'coordinator';
const BEAT = 'coordinator_beat';

const CLOCK_NOISE_MS = 2_000;

interface Owner extends ProcessIdentity {
  readonly id: string;
  /** The file that the row was written into: a copy of it belongs to nobody. */
  readonly device: number;
  readonly inode: number;
  /** The lock file that is held beside the row; whoever holds that very file knows that the owner is gone. */
  readonly lockInode: number | null;
}

interface Beat {
  /** Milliseconds: the time that the coordinator writes into records, and the time of the machine. */
  readonly serviceMs: number;
  readonly wallMs: number;
  /** Milliseconds since the machine started, on a clock that nobody sets; of this start of the machine. */
  readonly uptimeMs: number;
  readonly boot: string | null;
}

export interface LeaseOptions {
  readonly path: string;
  readonly lockPath: string;
  readonly leaseMs: number;
  /** Service time. */
  readonly now: () => number;
}

/** The right to coordinate a database. */
export class Lease {
  /** What the owner's row says; compared by every transaction. */
  readonly text: string;
  readonly #client: Client;
  readonly #options: LeaseOptions;

  private constructor(client: Client, options: LeaseOptions, text: string) {
    this.#client = client;
    this.#options = options;
    this.text = text;
  }

  /**
   * Takes the lease, within the open transaction of a connection. One whose owner is gone is taken over at once, one that
   * ran out too: its owner, should it wake up, finds that out in its next transaction.
   *
   * @throws DatabaseUnusableError - Another coordinator has it.
   */
  static take(
    client: Client,
    options: LeaseOptions,
  ): { readonly lease: Lease; readonly away: TimeAway | null } {
    const { dev: device, ino: inode } = statSync(options.path);
    const lockInode = statSync(options.lockPath, { throwIfNoEntry: false })?.ino ?? null;
    const owner = parse(readSetting(client, OWNER)) as Owner | null;
    const beat = parse(readSetting(client, BEAT)) as Beat | null;
    const here = thisProcess();
    const isCopy = owner?.inode !== inode || (owner.boot === here.boot && owner.device !== device);
    if (owner !== null && !isCopy && !hasEnded(owner, beat, lockInode, options.leaseMs)) {
      throw new DatabaseUnusableError(
        `The database ${options.path} is in use by another coordinator, process ${String(owner.pid)} on ${owner.host}; stop it, or wait ${String(Math.ceil(options.leaseMs / 1000))} s where it is gone`,
      );
    }
    const mine: Owner = { ...here, id: randomUUID(), device, inode, lockInode };
    const lease = new Lease(client, options, JSON.stringify(mine));
    writeSetting(client, OWNER, lease.text);
    writeSetting(client, BEAT, JSON.stringify(beatNow(options.now)));
    return { lease, away: beat === null ? null : timeAway(beat, options.now()) };
  }

  /** Says that the owner is there. @returns False where it is not the owner any more. */
  beat(): boolean {
    const text = JSON.stringify(beatNow(this.#options.now));
    return (
      this.#client
        .prepare(
          'update settings set value = ? where name = ? and exists (select 1 from settings where name = ? and value = ?)',
        )
        .run(text, BEAT, OWNER, this.text).changes === 1
    );
  }

  /** Whether the owner still is the owner; to be asked within a transaction that writes. */
  isHeld(): boolean {
    return readSetting(this.#client, OWNER) === this.text;
  }

  /** Gives it back; what another one has taken over stays. */
  release(): void {
    this.beat();
    this.#client.prepare('delete from settings where name = ? and value = ?').run(OWNER, this.text);
  }
}

function hasEnded(owner: Owner, beat: Beat | null, lockInode: number | null, leaseMs: number): boolean {
  // Held by this process now, and by the owner while it lived.
  if (owner.lockInode !== null && owner.lockInode === lockInode) return true;
  if (isGone(owner) || beat === null) return true;
  const sinceMs = isThisBoot(beat) ? uptimeMs() - beat.uptimeMs : Math.abs(Date.now() - beat.wallMs);
  return sinceMs > leaseMs;
}

function timeAway(beat: Beat, now: number): TimeAway {
  const passedMs = now - beat.serviceMs;
  const elapsedMs = isThisBoot(beat) ? Math.max(0, uptimeMs() - beat.uptimeMs) : Math.max(0, passedMs);
  const clockShiftMs = passedMs - elapsedMs;
  // Less is not worth telling from what two clocks differ by anyway.
  return { elapsedMs, clockShiftMs: Math.abs(clockShiftMs) < CLOCK_NOISE_MS ? 0 : clockShiftMs };
}

function beatNow(now: () => number): Beat {
  return { serviceMs: now(), wallMs: Date.now(), uptimeMs: uptimeMs(), boot: bootId() };
}

function isThisBoot(beat: Beat): boolean {
  return beat.boot !== null && beat.boot === bootId();
}

/** The monotonic clock of the machine, which all its processes share. */
function uptimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** A row that is not of the expected form counts as none: nobody could ever give it back. */
function parse(text: string | undefined): object | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
