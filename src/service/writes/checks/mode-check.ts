// Whether a write may change the mode of a workflow. Asks for the modes only if the write changes it.
import { ok, type Result } from '../../../domain/errors.js';
import type { JsonObject } from '../../../domain/json/json.js';
import { mayWriteMode, writesMode } from '../../../domain/workflow/modes.js';
import { andThen } from '../../results.js';
import type { MaybePromise } from '../../../lib/maybe-promise.js';
import type { AgentRegistry } from '../../agents/agent-registry.js';
import { workflowModes } from '../../agents/workflow-modes.js';

const UNCHANGED = ok(null);

/** @returns Nothing; or `forbidden`, `mode_refused`, or `agent_broken` if the modes cannot be known. */
export function checkMode(
  agents: AgentRegistry,
  before: Parameters<typeof mayWriteMode>[0],
  after: JsonObject,
  sessionId: string | null,
): MaybePromise<Result<null>> {
  if (!writesMode(before, after, sessionId)) return UNCHANGED;
  return andThen(workflowModes(agents, before.schema.schema), (modes) =>
    mayWriteMode(before, after, sessionId, modes),
  );
}
