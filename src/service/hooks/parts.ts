// What the use cases of hooks use.
import type { SessionTokens } from '../access/session-tokens.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { StopHookStates } from './stop-hook-state.js';
import type { Wakers } from './wakers.js';
import type { PullCallbacksParts } from '../callbacks/pull-callbacks.js';
import type { SessionParts } from '../sessions/parts.js';

export interface HookParts extends PullCallbacksParts, SessionParts {
  readonly signs: SignsOfLife;
  readonly tokens: SessionTokens;
  readonly stopHookStates: StopHookStates;
  readonly wakers: Wakers;
}
