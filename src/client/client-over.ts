// All calls of the service over a transport.
import * as api from '../ports/api/index.js';
import type { Countersign } from '../ports/service.js';
import { agentCalls } from './calls/agents.js';
import { callbackCalls } from './calls/callbacks.js';
import { hookCalls } from './calls/hooks.js';
import { keyCalls } from './calls/keys.js';
import { runnerCalls } from './calls/runners.js';
import { runCalls } from './calls/runs.js';
import { schemaCalls } from './calls/schemas.js';
import { sessionCalls } from './calls/sessions.js';
import { stateCalls } from './calls/states.js';
import { webhookCalls } from './calls/webhooks.js';
import { workflowCalls } from './calls/workflow.js';
import { streamCalls } from './calls/streams.js';
import { get } from './transport/call.js';
import type { Transport } from './transport/transport.js';

/** All calls over any transport. Separate from `createClient`, so that its type declarations reference no schema. */
export function clientOver(transport: Transport): Countersign {
  return {
    schemas: schemaCalls(transport),
    states: stateCalls(transport),
    keys: keyCalls(transport),
    workflow: workflowCalls(transport),
    sessions: sessionCalls(transport),
    callbacks: callbackCalls(transport),
    agents: agentCalls(transport),
    runs: runCalls(transport),
    runners: runnerCalls(transport),
    webhooks: webhookCalls(transport),
    streams: streamCalls(transport),
    hooks: hookCalls(transport),
    operations: {
      doctor: () => transport.send(api.DoctorReport, get('doctor')),
      whoAmI: () => transport.send(api.WhoAmI, get('whoami')),
      activity: () => transport.send(api.Activity, get('activity')),
      overview: () => transport.send(api.Overview, get('overview')),
    },
  };
}
