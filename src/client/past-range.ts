// Numbers that JSON has no word for, looked for before a body is sent: JSON.stringify would make null of them, and the
// service would take the null. Knows no call.
import { formatPointer } from '../domain/pointer.js';

/** JSON Pointer of the first number in a body that is not finite; `null` where there is none. */
export function pastRange(body: unknown): string | null {
  const path = find(body);
  return path === null ? null : formatPointer(path);
}

/** Built on the way back, so only for a find. */
function find(value: unknown): string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const path = find(item);
    if (path !== null) return [name, ...path];
  }
  return null;
}
