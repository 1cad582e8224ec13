// The bound for HTTP: a bare Hono route that parses a JSON body and answers it, on the same server as ours.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
const kept = JSON.parse(process.argv[2] ?? '{}');
app.patch('/echo', async (c) => c.json(await c.req.json()));
app.put('/echo', async (c) => c.json(await c.req.json()));
app.get('/echo', (c) => c.json(kept));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`ready at http://127.0.0.1:${String(port)}\n`);
});
