// Explains why a session failed.
import { ConnectionError } from '../../../client/index.js';
import type { Result } from '../../../domain/errors.js';
import type { Listed, RunView } from '../../../ports/api/index.js';
import type { Countersign } from '../../../ports/service.js';

/**
 * Collects why a session failed or is not done: the error of its last failed run, and the reason of its
 * completion.
 *
 * @returns Lines of text for a person.
 */
export async function whatFailed(client: Countersign, session: string): Promise<string[]> {
  const facts = await Promise.all([lastRuns(client, session), client.sessions.completion(session)]).catch(
    // Without a connection there is no explanation, but the failure itself is already reported.
    (error: unknown) => {
      if (error instanceof ConnectionError) return null;
      throw error;
    },
  );
  if (facts === null) return [];
  const [runs, completion] = facts;
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

/** Returns the last page of runs and the run before it. The service lists runs oldest first. */
async function lastRuns(client: Countersign, session: string): Promise<readonly RunView[]> {
  let items: readonly RunView[] = [];
  let cursor: string | null = null;
  do {
    const page: Result<Listed<RunView>> = await client.runs.list({
      session,
      ...(cursor === null ? {} : { cursor }),
    });
    if (!page.ok) return items;
    items = [...items.slice(-1), ...page.value.items];
    cursor = page.value.next_cursor;
  } while (cursor !== null);
  return items;
}
