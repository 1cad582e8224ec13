// Whether two contracts ask for the same.
import type { Contract } from '../records/records.js';

export function isSameContract(one: Contract | null, other: Contract | null): boolean {
  return one?.pointer === other?.pointer && one?.schemaHash === other?.schemaHash;
}
