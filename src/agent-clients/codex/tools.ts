// The names of the client's tools, for the gate.
import type { ClientTools } from '../../domain/hooks/clients.js';

export const tools: ClientTools = {
  readOnly: [
    'list_mcp_resource_templates',
    'list_mcp_resources',
    'read_mcp_resource',
    'request_user_input',
    'update_plan',
    'view_image',
  ],
  own: /^mcp__countersign(_run)?__(state|workflow)_[a-z]+$/,
  shell: 'Bash',
};
