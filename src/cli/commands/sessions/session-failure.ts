// Why a session failed, in words.
import { ConnectionError } from '../../../client/index.js';
import type { Outcome } from '../../../domain/errors.js';
import type { Listed, RunView } from '../../../ports/api/index.js';
import type { Countersign } from '../../../ports/service.js';

/**
 * Why a session failed, or is not done: what its last run in trouble says, and its completion.
 *
 * @returns Lines for a person.
 */
export async function whatFailed(client: Countersign, session: string): Promise<string[]> {
  const told = await Promise.all([lastRuns(client, session), client.sessions.completion(session)]).catch(
    // That it failed is known, whoever can say why.
    (error: unknown) => {
      if (error instanceof ConnectionError) return null;
      throw error;
    },
  );
  if (told === null) return [];
  const [runs, completion] = told;
  const run = runs.findLast(({ error }) => error !== null);
  const lines: string[] = [];
  if (run !== undefined) {
    const cause = run.cause === undefined ? '' : ` (cause ${run.cause})`;
    lines.push(`Run ${run.run_id} (${run.purpose}) ${run.status}${cause}: ${run.error ?? ''}`);
  }
  const reason = completion.ok ? completion.value.reason : null;
  if (reason !== null && reason !== run?.error) lines.push(`State update: ${reason}`);
  return lines;
}

/** They come oldest first. */
async function lastRuns(client: Countersign, session: string): Promise<readonly RunView[]> {
  let items: readonly RunView[] = [];
  let cursor: string | null = null;
  do {
    const page: Outcome<Listed<RunView>> = await client.runs.list({
      session,
      ...(cursor === null ? {} : { cursor }),
    });
    if (!page.ok) return items;
    items = [...items.slice(-1), ...page.value.items];
    cursor = page.value.next_cursor;
  } while (cursor !== null);
  return items;
}
