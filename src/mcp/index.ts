// The MCP adapter: tools and resources on the service's interface, over streamable HTTP and stdio.
export type { Identified } from './server.js';
export { callingSession } from './targets.js';
export { createMcpTransport, type McpHttpOptions } from './transports/http-transport.js';
export { serveMcpStdio } from './transports/stdio.js';
export { TOOLS } from './tools/index.js';
