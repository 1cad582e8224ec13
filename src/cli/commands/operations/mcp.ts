// `countersign mcp`: flags of the MCP server on standard input and output.
import { serviceFlags } from '../../client-command.js';
import { plainCommand, type CommandSpec } from '../../command.js';
import type { WiredCommands } from '../../wiring.js';
import { logLevelFlag } from './process-flags.js';

export function mcpCommand({ mcp }: WiredCommands): CommandSpec {
  return plainCommand({
    usage: 'mcp',
    summary: 'serve MCP on standard input and output, for one agent',
    flags: { ...serviceFlags, logLevel: logLevelFlag },
    examples: ['countersign mcp --url http://127.0.0.1:4717'],
    notes:
      'Who is asking: COUNTERSIGN_TOKEN, or on an open loopback AGENT_SESSION_ID or AGENT_SESSION_NAME.\nThe coordinator serves the same tools over HTTP at /mcp.',
    run: ({ flags, io }) => mcp(flags, io),
  });
}
