// The names of the client's tools, for the gate.
import type { ClientTools } from '../../domain/hooks/clients.js';

export const tools: ClientTools = {
  readOnly: ['glob', 'grep', 'list', 'question', 'read', 'todoread', 'todowrite'],
  own: /^countersign_(run_)?(state|workflow)_[a-z]+$/,
  shell: 'bash',
};
