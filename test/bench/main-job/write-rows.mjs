// Writes of one hot state of 1 KB against an anonymous PATCH of it: as a session, by key, and through MCP.
import { join } from 'node:path';
import { coordinatorOn, numbered, patches } from '../coordinator.mjs';
import { documentOf, twoOperations } from '../documents.mjs';
import { against, CONNECTIONS, interleaved, round } from '../load.mjs';
import { figure, heading, line, rate } from '../report.mjs';
import { asSession, JSON_BODY, JSON_PATCH } from './caller.mjs';

const MCP_CALLERS = 32;

const MCP = {
  method: 'POST',
  path: '/mcp',
  headers: {
    ...JSON_BODY,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  },
};

/** An external root with a state of 1 KB, and a child of it with a contract and a write scope. */
export async function treeWithChild(service, root) {
  await service.call('POST', '/sessions', { session_name: root, external: true });
  const { state_id: stateId } = await service.call('POST', '/workflow-states', {
    schema_name: 'bench',
    initial_data: documentOf(1000),
    root_session_name: root,
  });
  const child = `${root}-child`;
  await service.call('POST', '/sessions', {
    session_name: child,
    parent_session_name: root,
    external: true,
    callback: true,
    completion: {
      contract: { pointer: '/counter', schema: { type: 'integer', minimum: 1 } },
      write_scope: ['/counter', '/tasks'],
    },
  });
  return { root, child, stateId };
}

/** PATCHes of two operations as a session. */
export const patchesAs = (url, stateId, session) =>
  numbered(
    url,
    { method: 'PATCH', path: `/workflow-states/${stateId}`, headers: asSession(session, JSON_PATCH) },
    twoOperations,
  );

/** Calls of the tool `state_patch` with the same two operations. */
const toolCalls = (url, stateId) =>
  numbered(url, MCP, (n) => ({
    jsonrpc: '2.0',
    id: n,
    method: 'tools/call',
    params: { name: 'state_patch', arguments: { state_id: stateId, operations: twoOperations(n) } },
  }));

export async function writeRows({ dir, seconds, allRounds }) {
  const service = await coordinatorOn(join(dir, 'writes.db'));
  const { url } = service;
  const at =
    (next, connections = CONNECTIONS) =>
    () =>
      round({ url, next, seconds, connections });
  try {
    const { root, child, stateId } = await treeWithChild(service, 'writes');
    const key = `/sessions/${root}/state/keys/counter`;
    const anonymous = patches(url, [stateId]);
    const measured = await interleaved(allRounds, {
      patch: at(anonymous),
      root: at(patchesAs(url, stateId, root)),
      child: at(patchesAs(url, stateId, child)),
      put: at(numbered(url, { method: 'PUT', path: key, headers: JSON_BODY }, (n) => ({ value: n }))),
      increment: at(
        numbered(url, { method: 'POST', path: `${key}/ops`, headers: JSON_BODY }, (n) => ({
          operation: 'increment',
          delta: n,
        })),
      ),
      few: at(anonymous, MCP_CALLERS),
      mcp: at(toolCalls(url, stateId), MCP_CALLERS),
    });
    heading(`Writes of one state of 1 KB, ${String(CONNECTIONS)} connections`);
    line('anonymous PATCH', '1.00', '', rate(measured.patch));
    for (const [name, title, aim] of [
      ['root', 'PATCH as a root session / anonymous', '0.95'],
      ['child', 'PATCH as a child with contract and scope / anonymous', '0.95'],
      ['put', 'key PUT / PATCH', '0.95'],
      ['increment', 'key increment / PATCH', '0.95'],
    ]) {
      const { [name]: rows } = measured;
      line(title, figure(against(rows, measured.patch)), '>= 0.80', `${rate(rows)}; aim ${aim}`);
    }
    line(
      `MCP state_patch, ${String(MCP_CALLERS)} callers / PATCH`,
      figure(against(measured.mcp, measured.few)),
      '>= 0.40',
      `${rate(measured.mcp)}; aim 0.70`,
    );
  } finally {
    await service.stop();
  }
}
