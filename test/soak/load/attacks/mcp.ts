// MCP: tools on large documents, floods of small calls, and subscriptions.
import { callTool, list, many, onState, pause, wide, type Attack } from '../kit.js';

const MEMBERS = () => wide(60_000, 1);

export const mcp: readonly Attack[] = [
  onState('MCP: writes and reads of a mebibyte', MEMBERS, async ({ target, id }) => {
    const call = (name: string, args: object) => callTool(target, name, { state_id: id, ...args });
    await many(50, 50, () => call('state_read', {}));
    await many(5, 5, (n) => call('state_write', { data: wide(60_000, n) }));
    await many(5, 5, (value) =>
      call('state_patch', {
        operations: list(1000, (at) => ({ op: 'add', path: `/m${String(at)}`, value })),
      }),
    );
  }),
  onState(
    'MCP: 5,000 tool calls, 1,000 at a time',
    () => ({ n: 0, items: list(500, (at) => ({ name: `item ${String(at)}` })) }),
    ({ target, id, root }) => {
      const as = { 'x-agent-session-id': root };
      const calls: readonly (readonly [string, object])[] = [
        ['state_read', { state_id: id }],
        ['state_get', { key: 'items' }],
        ['state_set', { key: 'n', value: 1 }],
        ['state_increment', { key: 'n', by: 1 }],
        ['state_schema', { state_id: id }],
        ['list_agent_sessions', {}],
        ['get_agent_session_status', { session: root }],
        ['no_such_tool', {}],
        ['state_patch', { operations: 'nonsense' }],
      ];
      return many(5000, 1000, (at) => {
        const [name, args] = calls[at % calls.length] ?? ['state_read', {}];
        return callTool(target, name, args, as);
      });
    },
  ),
  onState(
    'MCP: 250 subscriptions of 100 states each, 300 writes',
    () => ({ n: 0 }),
    async (state) => {
      const { target, id } = state;
      const uris = list(100, () => `countersign://states/${id}`);
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { resourceSubscriptions: uris },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      });
      const head = [
        'POST /mcp HTTP/1.1',
        `Host: 127.0.0.1:${String(target.port)}`,
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        'MCP-Protocol-Version: 2026-07-28',
        'Mcp-Method: subscriptions/listen',
        `Content-Length: ${String(Buffer.byteLength(body))}`,
      ].join('\r\n');
      await many(250, 50, async () => {
        (await target.raw(`${head}\r\n\r\n${body}`)).pause();
      });
      await pause(500);
      await many(300, 20, (at) => state.put({ n: at + 1 }));
      await pause(500);
    },
  ),
];
