// The tree that the tests of the dashboard look at: a root with a state, a child that owes its result, one that failed.
import type { createClient } from '../../src/client/index.js';
import { must } from '../support/stage.js';

type Client = ReturnType<typeof createClient>;

export const HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>\u202Egnp.exe';

export interface Story {
  readonly stateId: string;
  readonly rootId: string;
}

export async function tellStory(client: Client, name = 'release-42'): Promise<Story> {
  must(await client.schemas.register({ name: 'release', json_schema: { type: 'object' } }));
  const root = must(await client.sessions.create({ session_name: name, external: true }));
  const state = must(
    await client.states.create({
      schema_name: 'release',
      root_session_id: root.session_id,
      initial_data: {
        tasks: [{ name: 'build', done: false }],
        notes: HOSTILE,
        [HOSTILE]: 'x'.repeat(50_000),
      },
    }),
  );
  must(await client.sessions.report(root.session_id, { type: 'session_start' }));
  const wait = { timeout_ms: 600_000, retry_delay_ms: 0 };
  await child(client, root.session_id, `${name}-builder`, { ...wait, max_attempts: 3 });
  const failing = await child(client, root.session_id, `${name}-tester`, { ...wait, max_attempts: 1 });
  must(
    await client.sessions.report(failing, { type: 'session_stop', result_text: 'again, nothing recorded' }),
  );
  return { stateId: state.state_id, rootId: root.session_id };
}

async function child(client: Client, parent: string, name: string, completion: object): Promise<string> {
  const { session_id } = must(
    await client.sessions.create({
      session_name: name,
      parent_session_id: parent,
      external: true,
      callback: true,
      delivery: 'pull',
      completion,
    }),
  );
  must(await client.sessions.report(session_id, { type: 'session_start' }));
  must(await client.sessions.report(session_id, { type: 'session_stop', result_text: 'done' }));
  return session_id;
}
