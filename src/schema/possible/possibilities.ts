// Remembers for one schema where values are possible, and examples, by the shapes of pointers. Nothing here is computed.
import { LRUCache } from 'lru-cache';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { isAtOrUnder } from '../../domain/json/pointer.js';
import type { Contract } from '../../domain/records/records.js';
import { PointerShapes } from './pointer-shapes.js';

/** Most results to keep of each kind. */
const KEPT_MAX = 128;

export class Possibilities {
  readonly #shapes: PointerShapes;
  readonly #open = new LRUCache<string, true>({ max: KEPT_MAX });
  readonly #examples = new LRUCache<string, JsonValue[]>({ max: KEPT_MAX });

  constructor(schema: JsonObject) {
    this.#shapes = new PointerShapes(schema);
  }

  /**
   * Computes what rules a value out. That nothing does is remembered for all pointers of the same shape.
   *
   * @param wanted - Hash of the schema that the value has to satisfy; `undefined` for any value.
   */
  ruledOut<T>(pointer: string, wanted: string | undefined, compute: () => T | null): T | null {
    const shape = this.#shapes.of(pointer);
    const key = `${shape ?? ''} ${wanted ?? ''}`;
    if (shape !== null && this.#open.has(key)) return null;
    const found = compute();
    if (found === null && shape !== null) this.#open.set(key, true);
    return found;
  }

  /**
   * The examples so far for a location without a value. The caller adds to them.
   *
   * @param ofContract - Those of the contract's schema.
   */
  examplesAt(location: string, contract: Contract | null, ofContract: Possibilities | null): JsonValue[] {
    const shape = this.#shapes.of(location);
    const isHeld = contract !== null && ofContract !== null && isAtOrUnder(location, contract.pointer);
    const within = isHeld ? ofContract.#shapes.of(location.slice(contract.pointer.length)) : '';
    if (shape === null || within === null) return [];
    const key = `${shape} ${isHeld ? contract.schemaHash : ''} ${within}`;
    const known = this.#examples.get(key) ?? [];
    this.#examples.set(key, known);
    return known;
  }
}
