// Reads a page of a list for a tool. A cursor that is not of the list is a wrong argument.
import { invalidMember, type Failure, type Result } from '../domain/errors.js';
import { BadCursorError } from '../ports/storage/reader.js';

/** Where the HTTP API says that a cursor is wrong. */
const CURSOR = '/query/cursor';

/**
 * @param list - Of the service, which throws `BadCursorError`; or of the client, which fails with the place in its
 *   request.
 * @returns The page; `invalid_request` at `/cursor`; or another failure of the list.
 */
export async function listedPage<T>(list: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    const listed = await list();
    return !listed.ok && isOfCursor(listed.failure) ? badCursor() : listed;
  } catch (error) {
    if (error instanceof BadCursorError) return badCursor();
    throw error;
  }
}

function isOfCursor({ error, members: { errors } }: Failure): boolean {
  if (error !== 'invalid_request' || !Array.isArray(errors)) return false;
  const first: unknown = errors[0];
  return typeof first === 'object' && first !== null && 'pointer' in first && first.pointer === CURSOR;
}

function badCursor(): Result<never> {
  return invalidMember('/cursor', 'is not a cursor of this list', 'next_cursor of an answer of this list');
}
