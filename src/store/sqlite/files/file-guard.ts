// Checks that the files at a database's paths are still the ones that were opened. A commit to a file that
// cannot be found again must not be acknowledged. Knows no SQL.
import { closeSync, openSync, readSync, realpathSync, statSync, truncateSync } from 'node:fs';

interface Identity {
  readonly device: number;
  readonly inode: number;
}

/** What is wrong with the files. `sticky`: no later check can clear it. */
export interface FileLoss {
  readonly what: string;
  readonly sticky: boolean;
}

const WAL_MAGICS = new Set([0x377f0682, 0x377f0683]);
const WAL_HEADER_BYTES = 32;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/**
 * Compares device and inode of a database, its log and its shared memory with those at the start. One check
 * costs three system calls, 6 us in total.
 */
export class FileGuard {
  readonly #real: string;
  readonly #wal: string;
  readonly #shm: string;
  #seen: { readonly database: Identity; readonly wal: Identity; readonly shm: Identity | null } | null = null;
  #databaseBytes = 0;
  #walBytes = 0;
  #walFile: number | null = null;
  readonly #header = Buffer.alloc(WAL_HEADER_BYTES);
  #sticky: FileLoss | null = null;

  /** @param path - As passed to the program. If it is a link, moving the link leads to another database. */
  constructor(private readonly path: string) {
    const real = realpathSync(path);
    this.#real = real;
    this.#wal = `${real}-wal`;
    this.#shm = `${real}-shm`;
  }

  /** Records the files' identities while the connection has them open. Does nothing after the first success. */
  begin(): void {
    if (this.#seen !== null) return;
    const database = identify(this.path);
    const wal = identify(this.#wal);
    if (database === null || wal === null) return;
    this.#seen = { database, wal, shm: identify(this.#shm) };
    this.#databaseBytes = database.bytes;
    this.#walFile = openSync(this.#wal, 'r');
  }

  /**
   * Checks whether a commit that was just made can be found again.
   *
   * @param failed - True if SQLite failed to read or write. Then a log that shrank counts as the cause.
   * @returns `null` if the commit can be found.
   */
  lossOfCommit(failed = false): FileLoss | null {
    this.begin();
    const seen = this.#seen;
    if (this.#sticky !== null || seen === null) return this.#sticky;
    const database = identify(this.path);
    if (database === null) return passing('The database file is gone from its path');
    if (!isSame(database, seen.database)) return passing('Another file is at the path of the database');
    if (database.bytes < this.#databaseBytes && !this.#isWhole(database.bytes)) {
      return this.#forGood('The database file was truncated');
    }
    this.#databaseBytes = database.bytes;
    const wal = identify(this.#wal);
    if (wal === null) return passing('The write-ahead log of the database is gone from its path');
    if (!isSame(wal, seen.wal)) return passing('Another file is at the path of the write-ahead log');
    const isHeadless = wal.bytes > 0 && !this.#hasWalHeader();
    if (isHeadless) this.#emptyLog();
    if (isHeadless || (failed && wal.bytes < this.#walBytes)) {
      return this.#forGood('The write-ahead log was truncated');
    }
    this.#walBytes = wal.bytes;
    return null;
  }

  /**
   * Same as `lossOfCommit`. Also checks the target of a link at the path, and the shared memory file, through
   * which other programs coordinate with this one.
   */
  loss(): FileLoss | null {
    const loss = this.lossOfCommit();
    if (loss === null && this.#seen !== null && realPathOf(this.path) !== this.#real) {
      return passing('The path leads to the database by another name, where others have another log');
    }
    if (loss !== null || this.#seen === null || this.#seen.shm === null) return loss;
    const shm = identify(this.#shm);
    return shm !== null && isSame(shm, this.#seen.shm)
      ? null
      : passing('The shared memory file of the database is gone or another one');
  }

  /**
   * True if the database file is in place, and its log and shared memory are missing or still the same files.
   * Then the log's content can still be copied into the database. A truncated log has none.
   */
  get canBringOver(): boolean {
    const seen = this.#seen;
    if (seen === null || this.#sticky !== null) return false;
    const database = identify(this.path);
    if (database === null || !isSame(database, seen.database)) return false;
    const [wal, shm] = [identify(this.#wal), identify(this.#shm)];
    return (
      (wal === null || isSame(wal, seen.wal)) &&
      (shm === null || (seen.shm !== null && isSame(shm, seen.shm)))
    );
  }

  /** Size of the log at the last check. */
  get logBytes(): number {
    return this.#walBytes;
  }

  /** Call after the connections are closed. */
  close(): void {
    if (this.#walFile !== null) closeSync(this.#walFile);
    this.#walFile = null;
  }

  #forGood(what: string): FileLoss {
    return (this.#sticky = { what, sticky: true });
  }

  /**
   * A log that was truncated and written again is zeros up to the last write. SQLite copies pages by its index in
   * memory, also when it closes: the zeros would replace pages of the database. It copies nothing from an empty log.
   */
  #emptyLog(): void {
    try {
      truncateSync(this.#wal);
    } catch {
      // Whoever took the right to write took that of a copy, too.
    }
  }

  #hasWalHeader(): boolean {
    if (this.#walFile === null) return true;
    const bytes = readSync(this.#walFile, this.#header, 0, WAL_HEADER_BYTES, 0);
    return bytes === WAL_HEADER_BYTES && WAL_MAGICS.has(this.#header.readUInt32BE(0));
  }

  /**
   * True if a file that shrank is complete: it has as many pages as its header says, as after a VACUUM by
   * another program. The file descriptor is never closed: closing it would release SQLite's locks on the file
   * for this process.
   */
  #isWhole(bytes: number): boolean {
    const header = Buffer.alloc(HEADER_BYTES);
    const read = readSync(openSync(this.path, 'r'), header, 0, HEADER_BYTES, 0);
    if (read < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return false;
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    return header.readUInt32BE(28) * pageBytes <= bytes;
  }
}

function passing(what: string): FileLoss {
  return { what, sticky: false };
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** `null` also if the file is inaccessible: its state cannot be confirmed. */
function identify(path: string): (Identity & { readonly bytes: number }) | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? null : { device: stat.dev, inode: stat.ino, bytes: stat.size };
  } catch {
    return null;
  }
}

function isSame(one: Identity, other: Identity): boolean {
  return one.inode === other.inode && one.device === other.device;
}
