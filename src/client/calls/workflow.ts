// Calls of workflow records over HTTP.
import * as api from '../../ports/api/index.js';
import type { WorkflowService } from '../../ports/workflow-service.js';
import { get } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

export function workflowCalls({ send }: Transport): WorkflowService {
  const write = (method: 'POST' | 'PUT', stateId: string, path: readonly string[], body: unknown) =>
    send(api.WorkflowWritten, {
      method,
      path: ['workflow-states', stateId, 'workflow', ...path],
      body,
    });
  return {
    show: (stateId) => send(api.WorkflowView, get('workflow-states', stateId, 'workflow')),
    startInvocation: (stateId, body) => write('POST', stateId, ['invocations'], body),
    completeInvocation: (stateId, id, body) =>
      write('POST', stateId, ['invocations', id, 'completion'], body),
    addDecision: (stateId, body) => write('POST', stateId, ['decisions'], body),
    approveDecision: (stateId, id, body) => write('POST', stateId, ['decisions', id, 'approvals'], body),
    rejectDecision: (stateId, id, body) => write('POST', stateId, ['decisions', id, 'rejections'], body),
    addVerdict: (stateId, body) => write('POST', stateId, ['verdicts'], body),
    handOff: (stateId, body) => write('POST', stateId, ['handoffs'], body),
    setPhase: (stateId, body) => write('PUT', stateId, ['phase'], body),
    setMode: (stateId, body) => write('PUT', stateId, ['mode'], body),
    addEvidence: (stateId, body) => write('POST', stateId, ['evidence'], body),
    compact: (stateId, body) => write('POST', stateId, ['compact'], body),
    archive: (stateId, archiveId) =>
      send(api.WorkflowArchive, get('workflow-states', stateId, 'workflow', 'archives', archiveId)),
  };
}
