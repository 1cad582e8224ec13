// Settling as a promise about whole trees: whatever is done, no session waits for something that is over.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEnded } from '../../../src/domain/lifecycle/run.js';
import { isResumable } from '../../../src/domain/lifecycle/session.js';
import type { Rule } from '../../../src/domain/decisions/decide.js';
import type { DecisionContext } from '../../../src/domain/transactions/decision-context.js';
import type { LoadRequest } from '../../../src/domain/transactions/loaded-records.js';
import { command, Play, PLAY_LIMITS, setup, type Command, type Setup } from '../play.js';
import { World } from '../world.js';
import { runs } from '../../support/runs.js';

const RUNS = runs(100);
/** Enough to find each kind of command that does not settle; from a fixed seed, so that it is always found. */
const UNTIL_FOUND = { numRuns: 1_000, seed: 1, endOnFailure: true };

const lives = [setup, fc.array(command, { minLength: 1, maxLength: 60, size: 'max' })] as const;

/** Sessions that wait though nothing is left to wait for: nothing runs, nothing is due, and every child is done. */
function waitingForNothing({ store }: World): readonly string[] {
  const { completions, sessions, callbacks, runs } = store;
  return [...sessions.values()].flatMap((session) => {
    const { sessionId, generation } = session;
    const completion = completions.get(`${sessionId}#${generation}`)!;
    const open = [...runs.values()].filter((run) => run.sessionId === sessionId && !hasEnded(run));
    const inbox = [...callbacks.values()].filter((one) => one.parentSessionId === sessionId);
    const awaited = inbox.filter(
      (one) => one.parentGeneration === generation && (one.status === 'held' || one.status === 'queued'),
    );
    const unsent = inbox.filter(
      (one) =>
        one.status === 'queued' &&
        one.runId === null &&
        one.deliveryId === null &&
        (one.delivery !== 'pull' || session.deletedAt !== null),
    );
    const done = inbox.filter(
      (one) =>
        one.status === 'held' &&
        completions.get(`${one.childSessionId}#${one.childGeneration}`)?.releasedAt !== null,
    );
    const moves = completion.dueAt !== null || open.some((run) => run.generation === generation);
    const workEnded = completion.workOutcome !== null;
    const goesOn = completion.releasedAt === null || completion.status === 'pending';
    const toPull = awaited.some((one) => one.status === 'queued' && one.delivery === 'pull');
    const rests = !moves && completion.releasedAt === null && session.parentSessionId !== null;
    const endless = rests && (!workEnded || (toPull && isResumable(session)));
    const next = completions.has(`${sessionId}#${generation + 1}`);
    return [
      ...(workEnded && goesOn && !moves && (awaited.length === 0 || !isResumable(session))
        ? ['it waits']
        : []),
      ...(endless ? ['nothing ends its wait to be started, or to pull'] : []),
      ...(done.length > 0 ? ['its child is done'] : []),
      ...(unsent.length > 0 && open.length === 0 ? ['its callbacks are not sent'] : []),
      ...(next && workEnded && !goesOn && !moves ? ['its next work does not begin'] : []),
    ].map((why) => `${session.sessionName}: ${why}`);
  });
}

/** Leaves settling out of the decisions of one kind of command. */
class Forgetful extends World {
  forgets = false;

  protected override decision<T>(context: DecisionContext, rule: Rule<T>, loads: readonly LoadRequest[]) {
    if (!this.forgets) return super.decision(context, rule, loads);
    const untouched: Rule<T> = (unit) => {
      const result = rule(unit);
      while (unit.touched.next() !== undefined);
      return result;
    };
    return super.decision(context, untouched, loads);
  }
}

/** Commands that seldom find anything to do are tried after each other one, in a tree where there may be something. */
const SELDOM: Partial<Record<Command['do'], { how: Partial<Setup>; then: Command }>> = {
  heartbeat: { how: {}, then: { do: 'heartbeat' } },
  pull: { how: { rootTakes: 'pull' }, then: { do: 'pull', name: 'root' } },
  send: { how: { rootTakes: 'webhook' }, then: { do: 'send', taken: true } },
};

function propertyWithout(kind: Command['do']) {
  const { how: over = {}, then } = SELDOM[kind] ?? {};
  return fc.property(...lives, (how, commands) => {
    const world = new Forgetful(PLAY_LIMITS);
    const play = new Play({ ...how, ...over }, world);
    for (const one of commands.flatMap((each) => (then === undefined ? [each] : [each, then]))) {
      world.forgets = one.do === kind;
      play.do(one);
      world.forgets = false;
      if (waitingForNothing(world).length > 0) return false;
    }
    return true;
  });
}

describe('settling', () => {
  it('leaves no session waiting whose children are done, whatever is done to the tree', () => {
    fc.assert(
      fc.property(...lives, (how, commands) => {
        const play = new Play(how);
        for (const one of commands) {
          play.do(one);
          expect(waitingForNothing(play.world)).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  const SETTLING = [
    'begin',
    'complete',
    'fail',
    'report_stopped',
    'heartbeat',
    'stop',
    'stop_run',
    'skip',
    'retry',
    'delete',
    'external',
    'pull',
    'send',
    'put_aside',
    'drop_state',
    'pass',
  ] as const satisfies readonly Command['do'][];

  it.each(SETTLING)('is missed where the decisions of %s leave it out', (kind) => {
    const found = fc.check(propertyWithout(kind), UNTIL_FOUND);
    expect(found.errorInstance).toEqual(new Error('Property failed by returning false'));
  });
});
