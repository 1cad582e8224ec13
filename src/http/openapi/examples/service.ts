// Examples of the operations on service. Recorded: see index.ts.
import type { Examples } from './example.js';

export const SERVICE: Examples = {
  mcp: {
    headers: { Accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'example', version: '1.0.0' },
      },
    },
    status: 200,
    answer:
      'event: message\ndata: {"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":false},"resources":{"listChanged":false,"subscribe":false}},"serverInfo":{"name":"countersign","title":"Countersign","version":"0.1.0"},"instructions":"Countersign: the workflow state that a tree of agent sessions shares, bound to a JSON Schema. Read before you write (state_read), write only your part (state_patch, state_set), and end your turn when the write was accepted. A refusal says in its second line what to call next."},"jsonrpc":"2.0","id":1}\n\n',
  },
  overview: {
    status: 200,
    answer: {
      trees: { active: 3 },
      workflow_states: { all: 2 },
      sessions: { failed: 1, pending: 2, running: 1, stopped: 2 },
      runs: { completed: 1, failed: 1, stopped: 3 },
      completions: { none: 5, skipped: 2 },
      callbacks: { delivered: 1 },
      webhook_deliveries: {},
      runners: { all: 0, max_concurrent: 0, active_runs: 0 },
    },
  },
  whoAmI: {
    status: 200,
    answer: {
      kind: 'operator',
      session_id: null,
      token_name: null,
      rights: ['read', 'orchestrate', 'run', 'operate'],
    },
  },
  activity: {
    status: 200,
    answer: {
      since: '2026-01-01T12:00:00.000Z',
      interval_ms: 60_000,
      items: [
        {
          at: '2026-01-01T12:00:00.000Z',
          writes: 23,
          runs_ended: 5,
          runs_failed: 1,
          run_wait_ms: 96,
          run_ms: 10,
        },
      ],
    },
  },
  doctor: { status: 200, answer: { healthy: true, findings: [] } },
  health: { status: 200, answer: { status: 'ok' } },
  readiness: { status: 200, answer: { status: 'ok', database: 'ok' } },
  metrics: { status: 200, answer: 'countersign_sessions{status="finished"} 2\n' },
  openapi: { status: 200, answer: { openapi: '3.1.0', info: { title: 'Countersign' } } },
  docs: { status: 200, answer: '<!doctype html>' },
};
