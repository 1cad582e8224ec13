// The server that ships, with what the conformance suite expects beside it: tools, resources and prompts of its own.
import type { McpServer } from '@modelcontextprotocol/server';
import { createMcpServer, type McpServerOptions } from '../../src/mcp/server.js';
import { addPrompts } from './fixture-prompts.js';
import { addResources } from './fixture-resources.js';
import { addRounds } from './fixture-rounds.js';
import { addTools } from './fixture-tools.js';

export function furnishedServer(options: McpServerOptions): McpServer {
  const server = createMcpServer(options);
  server.server.registerCapabilities({ completions: {}, logging: {}, prompts: { listChanged: false } });
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['testing'], total: 1, hasMore: false },
  }));
  addTools(server);
  addRounds(server);
  addResources(server);
  addPrompts(server);
  return server;
}
