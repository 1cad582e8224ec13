// Use case: answer a hook of an agent CLI. Dispatches each hook event to its handler.
import { readHookInput } from '../../agent-clients/hooks/input.js';
import { agentClient } from '../../agent-clients/index.js';
import { mayUse } from '../../domain/access/access.js';
import { ok, type Result } from '../../domain/errors.js';
import { mayEnd, type HookResult } from '../../domain/hooks/result.js';
import type { HookEvent, SubagentStopEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import type { HookOptions, HookService } from '../../ports/hook-service.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { answerAwaited } from './awaited.js';
import { answerPreToolUse, type PreToolUseParts } from './pre-tool-use.js';
import { answerSessionEnd } from './session-end.js';
import { answerSessionStart, childSession, type SessionStartParts } from './session-start.js';
import { hookedSession } from './hooked-session.js';
import { answerChildStop, answerStop } from './stop.js';
import { answerWake, type WakeParts } from './wake.js';

export interface HookServiceParts extends SessionStartParts, WakeParts, PreToolUseParts {}

export function hookService(caller: Caller<HookServiceParts>): HookService {
  return {
    answer: (client, input, options = {}) =>
      andThen(mayUse(caller.actor, 'orchestrate'), () =>
        andThen(readHookInput(agentClient(client), input), (event) => answer(caller, event, options)),
      ),
  };
}

function answer(
  caller: Caller<HookServiceParts>,
  event: HookEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  switch (event.hook) {
    case 'session-start':
      return answerSessionStart(caller, event, options);
    case 'stop':
      if (options.awaited === true) return answerAwaited(caller, event, options);
      return options.wake === true ? answerWake(caller, event, options) : answerStop(caller, event, options);
    case 'subagent-stop':
      return answerSubagentStop(caller, event, options);
    case 'pre-tool-use':
      return answerPreToolUse(caller, event, options);
    case 'session-end':
      return answerSessionEnd(caller, event, options);
  }
}

/**
 * A sub-agent must record its result only if `options.agents` lists its type: many types have no tool to write with.
 */
function answerSubagentStop(
  caller: Caller<HookServiceParts>,
  event: SubagentStopEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  return andThen(hookedSession(caller, event, options), async (session) => {
    if (options.agents?.includes(event.agentType) !== true) return ok(mayEnd(null));
    const tree = await caller.context.store.read.tree(session.rootSessionId);
    if (tree?.stateId == null || isElsewhere(session, event)) return ok(mayEnd(null));
    return andThen(childSession(caller, event, session), (child) =>
      answerChildStop(caller, event, options, child),
    );
  });
}
