// Detects commits of other connections: everything cached may be out of date after one.
import type { Statement } from 'better-sqlite3';
import { dataVersionOf, type Client } from '../connection.js';

export class OtherCommits {
  readonly #dataVersion: Statement;
  /** The `data_version` at which everything cached was read. */
  #known: unknown;
  #looked = false;
  /** True while the writing thread writes: its commit would look like that of another process. */
  paused = false;

  /** @param onFound - Discards everything that is cached. */
  constructor(
    client: Client,
    private readonly onFound: () => void,
  ) {
    this.#dataVersion = dataVersionOf(client);
  }

  look(): void {
    if (this.paused) return;
    const version = this.#dataVersion.get();
    if (version === this.#known) return;
    this.onFound();
    this.#known = version;
  }

  /** Looks at most once per event loop iteration: calls within one iteration count as simultaneous. */
  lookOnce(): void {
    if (this.#looked) return;
    this.look();
    this.#setLooked();
  }

  /** True if no other connection has written since the last look. */
  areNone(): boolean {
    return this.#dataVersion.get() === this.#known;
  }

  /** The last commit was made by this process. */
  wasOwn(): void {
    this.#known = this.#dataVersion.get();
    this.#setLooked();
  }

  #setLooked(): void {
    if (this.#looked) return;
    this.#looked = true;
    setImmediate(() => (this.#looked = false));
  }
}
