// A run as a runner gets it.
import type { ClaimedRun } from '../../src/ports/api/index.js';

const at = '2026-01-01T00:00:00.000Z';

export function claimedRun(members: Partial<ClaimedRun> = {}): ClaimedRun {
  return {
    run_id: 'run_1',
    type: 'start_session',
    purpose: 'work',
    session_id: 'ses_1',
    session_name: 'child',
    prompt: 'Do it.',
    status: 'claimed',
    attempt: 1,
    runner_id: 'rnr_1',
    metadata: {},
    error: null,
    created_at: at,
    claimed_at: at,
    started_at: null,
    completed_at: null,
    lease_token: 'lease-1',
    environment: { AGENT_SESSION_NAME: 'child' },
    project_dir: null,
    executor_session_id: null,
    timeout_ms: null,
    ...members,
  };
}
