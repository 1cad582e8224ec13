// Caches schema versions by id. The content of a version never changes, so it is read and parsed once. The
// compatibility mode of a cached record may be outdated.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import type { WorkflowSchema } from '../../domain/records/records.js';
import type { Store } from '../../ports/storage/store.js';

export class SchemaCache {
  readonly #schemas: LRUCache<string, WorkflowSchema>;
  /** The last one requested: it is likely to be requested again. */
  #newest: WorkflowSchema | null = null;

  constructor(
    private readonly store: Store,
    schemasMax: number,
  ) {
    this.#schemas = boundedCache(schemasMax);
  }

  /** The cached version, or `undefined` if it is not in the cache. */
  cached(schemaId: string): WorkflowSchema | undefined {
    if (schemaId === this.#newest?.schemaId) return this.#newest;
    const cached = this.#schemas.get(schemaId);
    if (cached !== undefined) this.#newest = cached;
    return cached;
  }

  async byId(schemaId: string): Promise<WorkflowSchema | null> {
    const cached = this.#schemas.get(schemaId);
    if (cached !== undefined) return cached;
    const schema = await this.store.read.schemaById(schemaId);
    if (schema !== null) this.#schemas.set(schemaId, schema);
    return schema;
  }
}
