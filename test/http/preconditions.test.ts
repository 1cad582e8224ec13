// Entity tags of keys and what may stand in their place.
import { describe, expect, test } from 'vitest';
import { accepted, doorway, type Script } from './fake-host.js';

describe('the ETag of a key', () => {
  const script: Script = {
    'keys.get': () => accepted({ version: 3, state_id: 'wfstate_1', value: 1 }),
  };
  const read = async (headers: Record<string, string>) =>
    doorway(script).app.request('/sessions/root/state/keys/a', { headers });

  test('holds its version and the state that it has it in', async () => {
    const response = await read({});
    expect(response.headers.get('etag')).toBe('"3.wfstate_1"');
    const known = await read({ 'if-none-match': '"3.wfstate_1"' });
    expect([known.status, known.headers.get('etag')]).toEqual([304, '"3.wfstate_1"']);
  });

  test.each(['"3"', '"3.wfstate_2"', '"2.wfstate_1"'])('is not known by %s', async (tag) => {
    expect((await read({ 'if-none-match': tag })).status).toBe(200);
  });

  test.each(['3', 'W/"3.wfstate_1"', '"0.wfstate_1"', '"3."', '"3", "4"', '"wfstate_1"'])(
    'is not %s, which is refused',
    async (tag) => {
      const { app, host } = doorway();
      const response = await app.request('/sessions/root/state/keys/a', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-match': tag },
        body: '{"value": 1}',
      });
      const problem: any = await response.json();
      expect([response.status, problem.error, problem.errors[0].pointer]).toEqual([
        422,
        'invalid_request',
        '/headers/if-match',
      ]);
      expect(host.asked).toEqual([]);
    },
  );
});
