// The lease that decides which coordinator owns a database. It is a row in the database itself, so it cannot
// be removed separately, and each of the owner's transactions checks it. Knows no other table.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type { TimeAway } from '../../../domain/scheduling/time-away.js';
import { DatabaseUnusableError } from '../../errors.js';
import type { Client } from '../connection.js';
import { isCount } from '../../../domain/json/json.js';
import { isTime } from '../../rows/values.js';
import { readSetting, writeSetting } from '../settings.js';
import { bootId, isGone, thisProcess, type ProcessIdentity } from './process-identity.js';

/** Names of the rows in `settings`: the owner of the database, and its last sign of life. */
export const OWNER = 'coordinator';
const BEAT = 'coordinator_beat';

/** The settings that mean nothing in another database. */
export const LEASE_SETTINGS: readonly string[] = [OWNER, BEAT];

const CLOCK_NOISE_MS = 2_000;
/** The owner gives a sign of life more often than that. */
const BEAT_MS_MAX = 10 * 60_000;
/** No clock is set back by more than that. */
const CLOCK_SET_MS_MAX = 366 * 24 * 60 * 60_000;

interface Owner extends ProcessIdentity {
  readonly id: string;
  /** The file that the row was written into. A copy of that file has no owner. */
  readonly device: number;
  readonly inode: number;
  /** The lock file that the owner holds. A process that holds the same lock file knows that the owner is gone. */
  readonly lockInode: number | null;
}

interface Beat {
  /** Milliseconds: the coordinator's service time, and the machine's wall-clock time. */
  readonly serviceMs: number;
  readonly wallMs: number;
  /** Milliseconds since the machine booted, on the monotonic clock, and the id of that boot. */
  readonly uptimeMs: number;
  readonly boot: string | null;
}

interface LeaseOptions {
  readonly path: string;
  readonly lockPath: string;
  readonly leaseMs: number;
  /** Service time. */
  readonly now: () => number;
  /** When the database was last written, not after now; `null` if nothing tells. */
  readonly lastWriteMs: number | null;
}

interface Acquired {
  readonly lease: Lease;
  readonly away: TimeAway | null;
  /** True if the last sign of life was edited: it would have moved the deadlines of all trees. */
  readonly isBeatWrong: boolean;
}

/** The right to coordinate a database. */
export class Lease {
  /** The content of the owner's row. Each transaction compares it. */
  readonly text: string;
  readonly #client: Client;
  readonly #options: LeaseOptions;

  private constructor(client: Client, options: LeaseOptions, text: string) {
    this.#client = client;
    this.#options = options;
    this.text = text;
  }

  /**
   * Acquires the lease within the connection's open transaction. A lease whose owner is gone, or that has
   * expired, is taken over. An owner that is still alive then detects this in its next transaction.
   *
   * @throws DatabaseUnusableError - Another coordinator owns the lease.
   */
  static acquire(client: Client, options: LeaseOptions): Acquired {
    const { dev: device, ino: inode } = statSync(options.path);
    const lockInode = statSync(options.lockPath, { throwIfNoEntry: false })?.ino ?? null;
    const owner = parse(readSetting(client, OWNER)) as Owner | null;
    const now = options.now();
    const kept = readSetting(client, BEAT);
    const read = beatOf(parse(kept));
    const beat = read !== null && isPlausible(read, options.lastWriteMs, now) ? read : null;
    const current = thisProcess();
    const isCopy = owner?.inode !== inode || (owner.boot === current.boot && owner.device !== device);
    if (owner !== null && !isCopy && !hasEnded(owner, beat, lockInode, options.leaseMs)) {
      throw new DatabaseUnusableError(
        `The database ${options.path} is in use by another coordinator, process ${String(owner.pid)} on ${owner.host}; stop it, or wait ${String(Math.ceil(options.leaseMs / 1000))} s where it is gone`,
      );
    }
    const mine: Owner = { ...current, id: randomUUID(), device, inode, lockInode };
    const lease = new Lease(client, options, JSON.stringify(mine));
    writeSetting(client, OWNER, lease.text);
    writeSetting(client, BEAT, JSON.stringify(beatNow(options.now)));
    const sinceWrite = options.lastWriteMs === null ? null : now - options.lastWriteMs;
    const withoutBeat = sinceWrite === null ? null : { elapsedMs: sinceWrite, clockShiftMs: 0 };
    return {
      lease,
      away: beat === null ? withoutBeat : timeAway(beat, now),
      isBeatWrong: kept !== undefined && beat === null,
    };
  }

  /** Renews the lease. @returns False if it belongs to another owner. */
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

  /** True if this process still owns the lease. Call it within a transaction that writes. */
  isHeld(): boolean {
    return readSetting(this.#client, OWNER) === this.text;
  }

  /** Releases the lease, unless another owner has taken it over. */
  release(): void {
    this.beat();
    this.#client.prepare('delete from settings where name = ? and value = ?').run(OWNER, this.text);
  }
}

function hasEnded(owner: Owner, beat: Beat | null, lockInode: number | null, leaseMs: number): boolean {
  // This process holds the lock file, which the owner would hold if it were alive.
  if (owner.lockInode !== null && owner.lockInode === lockInode) return true;
  if (isGone(owner) || beat === null) return true;
  const sinceMs = isThisBoot(beat) ? uptimeMs() - beat.uptimeMs : Math.abs(Date.now() - beat.wallMs);
  return sinceMs > leaseMs;
}

/** Whether the owner can have given this sign of life, by when the database was last written. */
function isPlausible(beat: Beat, lastWriteMs: number | null, now: number): boolean {
  if (lastWriteMs === null) return true;
  return beat.serviceMs >= lastWriteMs - BEAT_MS_MAX && beat.serviceMs <= now + CLOCK_SET_MS_MAX;
}

function timeAway(beat: Beat, now: number): TimeAway {
  const passedMs = now - beat.serviceMs;
  const elapsedMs = isThisBoot(beat) ? Math.max(0, uptimeMs() - beat.uptimeMs) : Math.max(0, passedMs);
  const clockShiftMs = passedMs - elapsedMs;
  // A smaller difference is ordinary clock noise.
  return { elapsedMs, clockShiftMs: Math.abs(clockShiftMs) < CLOCK_NOISE_MS ? 0 : clockShiftMs };
}

function beatNow(now: () => number): Beat {
  return { serviceMs: now(), wallMs: Date.now(), uptimeMs: uptimeMs(), boot: bootId() };
}

function isThisBoot(beat: Beat): boolean {
  return beat.boot !== null && beat.boot === bootId();
}

/** The machine's monotonic clock, shared by all its processes. */
function uptimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** `null` if a member is missing or of another type: no time could be computed with it. */
function beatOf(value: object | null): Beat | null {
  const { serviceMs, wallMs, uptimeMs, boot } = (value ?? {}) as Partial<Record<keyof Beat, unknown>>;
  if (!isTime(serviceMs) || !isTime(wallMs) || !isCount(uptimeMs)) return null;
  return { serviceMs, wallMs, uptimeMs, boot: typeof boot === 'string' ? boot : null };
}

/** A malformed row counts as missing: nobody could ever release it. */
function parse(text: string | undefined): object | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
