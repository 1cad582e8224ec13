import { expect, it } from 'vitest';
import { TOOLS } from '../../../src/mcp/tools/index.js';
import { STATE_TOOLS } from '../../../src/agent-clients/runs/state-tools.js';

it('the names of the tools are those that the MCP server has', () => {
  expect(STATE_TOOLS).toEqual(TOOLS.map(({ name }) => name).sort());
});
