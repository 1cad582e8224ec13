// When a stop is refused, step by step. The whole of it is in test/service/hooks.
import { describe, expect, it } from 'vitest';
import { agentClient } from '../../../src/agent-clients/index.js';
import type { StopEvent, SubagentStopEvent } from '../../../src/domain/hooks/event.js';
import {
  allowedStop,
  endAnyway,
  firstStep,
  pullWaitMs,
  refusingRequest,
  stepAfterPull,
} from '../../../src/domain/hooks/stop.js';
import type { Completion, Session } from '../../../src/domain/records/records.js';
import { aCompletion, aSession } from '../../store/records.js';

const stop = (over: Partial<StopEvent> = {}): StopEvent => ({
  hook: 'stop',
  client: agentClient('claude-code'),
  clientSessionId: 'c1',
  repeated: false,
  openTasks: 0,
  lastMessage: null,
  ...over,
});

const external = (over: Partial<Session> = {}) => aSession({ external: true, delivery: 'pull', ...over });

const completion = (over: Partial<Completion> = {}) => aCompletion(aSession(), over);

const REQUEST = { attempt: 1, of: 3, prompt: 'Record it.' };

describe('a stop', () => {
  it('of another session of the client is allowed, and says so', () => {
    const answer = endAnyway({ event: stop(), session: external({ executorSessionId: 'c2' }) });
    expect(answer?.verdict).toBe('end');
    expect(answer?.text).toContain("is the client's session c2; this session may stop");
  });

  it('of a session that was stopped is allowed', () => {
    const session = external({ executorSessionId: 'c1', status: 'stopped' });
    expect(endAnyway({ event: stop(), session })).toEqual({ verdict: 'end', text: null });
  });

  it('of a sub-agent is one of the session that it counts as, whatever client session that is bound to', () => {
    const event: SubagentStopEvent = {
      hook: 'subagent-stop',
      client: agentClient('claude-code'),
      clientSessionId: 'c1',
      repeated: false,
      agentId: 'a1',
      agentType: 'explorer',
      lastMessage: null,
    };
    expect(endAnyway({ event, session: external({ executorSessionId: 'a1' }) })).toBeNull();
  });

  it.each<[string, Partial<Session>, Partial<StopEvent>, boolean, boolean, string]>([
    ['of a session of a runner: a reminder', { external: false }, {}, true, false, 'remind'],
    ['the next in that turn: none', { external: false }, { repeated: true }, true, false, 'end'],
    ['with open tasks: none', { external: false }, { openTasks: 1 }, true, false, 'end'],
    ['at the cap: none', { external: false }, {}, false, false, 'end'],
    ['of an external session: its callbacks', {}, {}, true, false, 'pull'],
    ['of one with open tasks: the same', {}, { openTasks: 1 }, true, false, 'pull'],
    ['the next in that turn: the same', {}, { repeated: true }, true, false, 'pull'],
    ['that was reported before: the same report', {}, {}, true, true, 'report'],
    ['at the cap: the report', {}, {}, false, false, 'report'],
    ['at the cap, with open tasks: nothing', {}, { openTasks: 1 }, false, false, 'end'],
    ['of one that does not pull: the report', { delivery: 'webhook' }, {}, true, false, 'report'],
    ['of such a one with open tasks: nothing', { delivery: 'webhook' }, { openTasks: 1 }, true, false, 'end'],
  ])('%s', (_what, session, event, refusable, wasReported, step) => {
    expect(firstStep({ event: stop(event), session: external(session), refusable }, wasReported)).toBe(step);
  });
});

describe('a pull at a stop', () => {
  it.each<[string, Partial<StopEvent>, Completion['status'] | null, number]>([
    ['waits as long as the client offers', {}, 'none', 5000],
    ['waits for a root, too', {}, null, 5000],
    ['does not use up the time of an open attempt', {}, 'pending', 0],
    ['does not wait while tasks are open', { openTasks: 1 }, 'none', 0],
  ])('%s', (_what, event, status, waitMs) => {
    expect(pullWaitMs(stop(event), status === null ? null : { status }, 5000)).toBe(waitMs);
  });

  it.each<[string, Partial<StopEvent>, number, boolean, string]>([
    ['with callbacks refuses it', {}, 1, false, 'hand_over'],
    ['with callbacks refuses it, even with open tasks', { openTasks: 1 }, 1, true, 'hand_over'],
    ['without any, while some are to come, lets the client ask again', {}, 0, true, 'wait'],
    ['without any is followed by the report', {}, 0, false, 'report'],
    ['without any is no end while tasks are open', { openTasks: 1 }, 0, false, 'end'],
  ])('%s', (_what, event, callbacks, isOpen, step) => {
    expect(stepAfterPull(stop(event), callbacks, isOpen)).toBe(step);
  });
});

describe('a stop that is reported', () => {
  const asked = completion({ status: 'pending', request: REQUEST });
  const nothing = { callbacks: false, children: [] };
  const awaited = { callbacks: true, children: ['a'] };

  it('is refused with the request of the completion', () => {
    expect(refusingRequest({ refusable: true }, asked)).toEqual(REQUEST);
    expect(refusingRequest({ refusable: true }, completion())).toBeNull();
  });

  it('is not refused where the client takes no more refusals', () => {
    expect(refusingRequest({ refusable: false }, asked)).toBeNull();
  });

  it.each<[string, boolean, Completion, typeof awaited | typeof nothing, string | null]>([
    ['a request that the cap leaves open', false, asked, awaited, 'Its result is not recorded yet.'],
    ['callbacks that the cap leaves', false, completion(), awaited, 'Callbacks wait for it.'],
    ['children at work', true, completion(), awaited, 'a, children of this session,'],
    ['nothing', true, completion(), nothing, null],
  ])('is allowed with a notice of %s', (_what, refusable, record, waits, text) => {
    const { verdict, text: notice } = allowedStop({ event: stop(), refusable }, record, waits);
    expect(verdict).toBe('end');
    if (text === null) expect(notice).toBeNull();
    else expect(notice).toContain(text);
  });
});
