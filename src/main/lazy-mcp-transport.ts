// Imports the MCP adapter at the first MCP request: most coordinators never need the memory that its SDK takes.
import type { McpHttpOptions } from '../mcp/index.js';
import type { McpTransport } from '../ports/mcp-transport.js';

export function lazyMcpTransport(options: McpHttpOptions): McpTransport {
  let made: Promise<McpTransport> | null = null;
  const server = () =>
    (made ??= import('../mcp/index.js').then(({ createMcpTransport }) => createMcpTransport(options)));
  return {
    reply: async (message) => (await server()).reply(message),
    answer: async (request) => (await server()).answer(request),
    endSubscriptions: () => void made?.then((one) => one.endSubscriptions()),
    close: async () => {
      if (made !== null) await (await made).close();
    },
  };
}
