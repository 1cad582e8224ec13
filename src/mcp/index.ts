// The MCP door: tools and resources written once against the service's interface, on streamable HTTP and on stdio.
export { createMcpTransport as createMcpDoor, type McpHttpOptions } from './http-transport.js';
export { serveMcpStdio, type McpStdioOptions } from './stdio.js';
export { TOOLS } from './tools/index.js';
