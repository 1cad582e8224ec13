// Until which commit of a tree its cached records are current. A cache keeps the scope beside each record: with another scope,
// or none, the record is out of date.
import { LRUCache } from 'lru-cache';

/** What is cached of one tree. */
export interface Scope {
  /** The number of commits of the tree that the cached records have seen, with one that is in progress. */
  commits: number;
  /** The last of them that another coordinator has made, or may have made. */
  remote: number;
}

export class Scopes {
  readonly #scopes: LRUCache<string, Scope>;

  constructor(max: number) {
    this.#scopes = new LRUCache({ max });
  }

  get(key: string): Scope | undefined {
    return this.#scopes.get(key);
  }

  /** Records of the key that were cached before are out of date if there was no scope. */
  reach(key: string, commits: number, by: 'this' | 'another'): void {
    const scope = this.#scopes.get(key);
    if (scope === undefined)
      this.#scopes.set(key, { commits, remote: by === 'this' ? commits - 1 : commits });
    else {
      scope.commits = commits;
      if (by === 'another') scope.remote = commits;
    }
  }

  /** Everything that is cached of the key is out of date. */
  drop(key: string): void {
    this.#scopes.delete(key);
  }

  clear(): void {
    this.#scopes.clear();
  }
}
