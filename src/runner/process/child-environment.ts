// Builds the environment of an agent's process. Pure.
import { RUNNERS_OWN } from '../../domain/agents/blueprint.js';
import type { ClaimedRun } from '../../ports/api/index.js';

/**
 * The runner's environment without its own variables (`RUNNERS_OWN`), overridden by those of the claim and of the
 * run.
 */
export function childEnvironment(
  inherited: NodeJS.ProcessEnv,
  claimed: Readonly<Record<string, string>>,
  run: ClaimedRun,
  executorSessionId: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && !RUNNERS_OWN.test(name)) environment[name] = value;
  }
  return {
    ...environment,
    ...claimed,
    COUNTERSIGN_RUN_ID: run.run_id,
    COUNTERSIGN_RUN_PURPOSE: run.purpose,
    COUNTERSIGN_EXECUTOR_SESSION_ID: executorSessionId,
    ...(run.type === 'resume_session' ? { COUNTERSIGN_RESUME: '1' } : {}),
  };
}
