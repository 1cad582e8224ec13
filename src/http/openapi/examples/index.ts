// One example of each operation. test/http/openapi/examples.test.ts sends them to a running service; with `RECORD=1` it
// writes them anew.
import type { Examples } from './example.js';
import { AGENTS } from './agents.js';
import { CALLBACKS } from './callbacks.js';
import { COMPLETIONS } from './completions.js';
import { HOOKS } from './hooks.js';
import { KEYS } from './keys.js';
import { RUNNERS } from './runners.js';
import { RUNS } from './runs.js';
import { SCHEMAS } from './schemas.js';
import { SERVICE } from './service.js';
import { SESSIONS } from './sessions.js';
import { STATES } from './states.js';
import { STREAMS } from './streams.js';
import { WEBHOOKS } from './webhooks.js';
import { WORKFLOW } from './workflow.js';

export type { Example } from './example.js';

export const EXAMPLES: Examples = {
  ...SCHEMAS,
  ...STATES,
  ...KEYS,
  ...WORKFLOW,
  ...SESSIONS,
  ...COMPLETIONS,
  ...AGENTS,
  ...RUNS,
  ...RUNNERS,
  ...CALLBACKS,
  ...WEBHOOKS,
  ...STREAMS,
  ...HOOKS,
  ...SERVICE,
};
