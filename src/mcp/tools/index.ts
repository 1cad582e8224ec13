// All tools, in the order in which clients list them.
import type { Tool } from '../tool.js';
import { agentTools } from './agents.js';
import { documentTools } from './documents.js';
import { keyTools } from './keys.js';
import { workflowTools } from './workflow.js';
import { sessionTools } from './sessions.js';

export const TOOLS: readonly Tool[] = [
  ...documentTools,
  ...keyTools,
  ...workflowTools,
  ...sessionTools,
  ...agentTools,
];
