// The service over HTTP: the same interface that `service/` implements on a store.
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
import { streamCalls } from './calls/streams.js';
import type { ClientOptions } from './options.js';
import { createTransport, type Transport } from './transport.js';

/**
 * A Countersign service, as the caller whom the options name. Refusals come back as values, after whatever retry can
 * help (see `ClientOptions.retry`).
 *
 * Every call throws `ConnectionError` where no answer of the service came back.
 *
 * @throws TypeError Where the URL, token or name cannot be used.
 */
export function createClient(options: ClientOptions): Countersign {
  return clientOver(createTransport(options));
}

/** The same, whichever way requests go. */
export function clientOver(transport: Transport): Countersign {
  return {
    schemas: schemaCalls(transport),
    states: stateCalls(transport),
    keys: keyCalls(transport),
    sessions: sessionCalls(transport),
    callbacks: callbackCalls(transport),
    agents: agentCalls(transport),
    runs: runCalls(transport),
    runners: runnerCalls(transport),
    webhooks: webhookCalls(transport),
    streams: streamCalls(transport),
    hooks: hookCalls(transport),
    operations: { doctor: () => transport.send(api.DoctorReport, { method: 'GET', path: ['doctor'] }) },
  };
}
