// The part of an address after the `?`: how it is written, and how its members are read. A value is the text that stands
// there, so `root=123` names the session `123`.
import type { ListFilter, ListStatus, Order } from './api/list-queries.js';

export type Given = Readonly<Record<string, unknown>>;

/** Each member as its text; the first where a name is there twice. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(search)].toReversed());
}

/** Lists are written as JSON, everything else as its text. */
export function stringifySearch(search: Given): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' || typeof value === 'number') written.set(name, String(value));
    else if (Array.isArray(value)) written.set(name, JSON.stringify(value));
  }
  return written.size === 0 ? '' : `?${written.toString()}`;
}

/** `undefined` where it is empty. */
export function text(value: unknown): string | undefined {
  return value === '' ? undefined : wholeText(value);
}

/** The same, where an empty text means something. */
export function wholeText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A list of texts, as it is or as JSON; `undefined` where it has none. */
export function texts(value: unknown): readonly string[] | undefined {
  const given = typeof value === 'string' ? parsed(value) : value;
  const list = Array.isArray(given) ? given.filter((one) => typeof one === 'string') : [];
  return list.length === 0 ? undefined : list;
}

function parsed(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

/** A number from 1 on. */
export function number(value: unknown): number | undefined {
  const given = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof given === 'number' && Number.isSafeInteger(given) && given > 0 ? given : undefined;
}

export const orderOf = (value: unknown): Order | undefined => (value === 'oldest' ? value : undefined);

/** Reads the filters of a list. A status that there is not counts as none. */
export const listOf =
  <Status extends ListStatus>(statuses: readonly Status[]) =>
  (given: Given): ListFilter<Status> => ({
    status: statuses.find((status) => status === given['status']),
    root: text(given['root']),
    cursor: text(given['cursor']),
    order: orderOf(given['order']),
  });

export const pageOf = (given: Given): { readonly cursor?: string | undefined } => ({
  cursor: text(given['cursor']),
});
