// What one caller may send, each as large as the limits let it be.
import type { Attack } from '../kit.js';
import { conditions } from './conditions.js';
import { documents } from './documents.js';
import { exports } from './exports.js';
import { lists } from './lists.js';
import { manyStates } from './many-states.js';
import { mcp } from './mcp.js';
import { merges } from './merges.js';
import { operators } from './operators.js';
import { patches } from './patches.js';
import { reads } from './reads.js';
import { requests } from './requests.js';
import { sessions } from './sessions.js';
import { streams } from './streams.js';
import { webhooks } from './webhooks.js';

export const ATTACKS: readonly Attack[] = [
  ...streams,
  ...conditions,
  ...webhooks,
  ...merges,
  ...operators,
  ...patches,
  ...documents,
  ...manyStates,
  ...reads,
  ...exports,
  ...lists,
  ...sessions,
  ...mcp,
  ...requests,
];
