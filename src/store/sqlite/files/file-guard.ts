// Whether the files at a database's paths are still those that were opened: a commit to a file that nobody can find again
// must not be acknowledged. Knows no SQL.
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';

interface Identity {
  readonly device: number;
  readonly inode: number;
}

/** What became of the files; `sticky` where no later look can make it good. */
export interface FileLoss {
  readonly what: string;
  readonly sticky: boolean;
}

const WAL_MAGICS = new Set([0x377f0682, 0x377f0683]);
const WAL_HEADER_BYTES = 32;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/**
 * Compares device and inode of a database, its log and its shared memory with those that were found at the start.
 * One look costs three calls of the system, 6 us together.
 */
export class FileGuard {
  readonly #wal: string;
  readonly #shm: string;
  #seen: { readonly database: Identity; readonly wal: Identity; readonly shm: Identity | null } | null = null;
  #databaseBytes = 0;
  #walBytes = 0;
  #walFile: number | null = null;
  readonly #header = Buffer.alloc(WAL_HEADER_BYTES);
  #sticky: FileLoss | null = null;

  /** @param path - As the program was given it: a link that is moved leads to another database. */
  constructor(private readonly path: string) {
    const real = realpathSync(path);
    this.#wal = `${real}-wal`;
    this.#shm = `${real}-shm`;
  }

  /** Looks at the files for the first time; the connection has them open. Does nothing once it has. */
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
   * Looks whether a commit, just made, can be found again.
   *
   * @param failed - True where SQLite could not read or write: a log that has become smaller is then why.
   * @returns `null` where it can.
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
    const cut = failed && wal.bytes < this.#walBytes;
    if (cut || (wal.bytes > 0 && !this.#hasWalHeader())) {
      return this.#forGood('The write-ahead log was truncated');
    }
    this.#walBytes = wal.bytes;
    return null;
  }

  /** The same, and whether other programs would meet this one at the shared memory. */
  loss(): FileLoss | null {
    const loss = this.lossOfCommit();
    if (loss !== null || this.#seen === null || this.#seen.shm === null) return loss;
    const shm = identify(this.#shm);
    return shm !== null && isSame(shm, this.#seen.shm)
      ? null
      : passing('The shared memory file of the database is gone or another one');
  }

  /**
   * True where the file of the database is in its place, but its log or its shared memory is not, and nobody has put
   * others there: what is in the log can still be brought over.
   */
  get canBringOver(): boolean {
    const seen = this.#seen;
    if (seen === null) return false;
    const database = identify(this.path);
    if (database === null || !isSame(database, seen.database)) return false;
    const [wal, shm] = [identify(this.#wal), identify(this.#shm)];
    return (
      (wal === null || isSame(wal, seen.wal)) &&
      (shm === null || (seen.shm !== null && isSame(shm, seen.shm)))
    );
  }

  /** Once the connections are closed. */
  close(): void {
    if (this.#walFile !== null) closeSync(this.#walFile);
    this.#walFile = null;
  }

  #forGood(what: string): FileLoss {
    return (this.#sticky = { what, sticky: true });
  }

  #hasWalHeader(): boolean {
    if (this.#walFile === null) return true;
    const bytes = readSync(this.#walFile, this.#header, 0, WAL_HEADER_BYTES, 0);
    return bytes === WAL_HEADER_BYTES && WAL_MAGICS.has(this.#header.readUInt32BE(0));
  }

  /**
   * A file that has become smaller, after a VACUUM of another program, has as many pages as its header says.
   * The file is never closed: that would end the locks that SQLite holds on it for this process.
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

/** `null` also where the way to the file is shut: what cannot be seen cannot be vouched for. */
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
