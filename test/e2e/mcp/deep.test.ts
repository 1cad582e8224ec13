// Arguments nested too deep, over stdio: told by the limit, and the server goes on.
import { expect, test } from 'vitest';
import { McpClient } from '../../support/mcp.js';

test('arguments of 2,000 levels are refused by the limit, and the next call is answered', async () => {
  const client = await McpClient.stdio({ COUNTERSIGN_URL: 'http://127.0.0.1:1' }, 'legacy');
  try {
    let data: unknown = 1;
    for (let level = 0; level < 2000; level += 1) data = { a: data };
    // With an id of the client's, for which the arguments are put into a fingerprint.
    const refused = await client.call('state_update', { data }, { callId: 'call_abcdefgh12345678' });
    expect(refused).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^limit_exceeded: .*1000 levels.*jsonDepthMax/),
    });
    expect((await client.client.listTools()).tools.length).toBeGreaterThan(0);
  } finally {
    await client.close();
  }
});
