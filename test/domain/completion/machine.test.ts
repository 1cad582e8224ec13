// Design, section 5: its table, and each of the rules under it that the machine keeps. One event a line.
import { describe, expect, it } from 'vitest';
import type { CompletionEvent } from '../../../src/domain/completion/events.js';
import { isOver } from '../../../src/domain/completion/attempts.js';
import type { Completion } from '../../../src/domain/records/records.js';
import { contractAt } from '../world.js';
import {
  changedAt,
  inShort,
  Machine,
  idleIn,
  updateEnded,
  workEnded,
  wrote,
  WRONG,
  type Playing,
} from './machine-driver.js';

/** [what, how the session is set up, [event, status after it, effects of it][]] */
type Line = readonly [CompletionEvent, Completion['status'], string];
type Story = readonly [string, Playing, readonly Line[]];

const idle = idleIn();
const done = workEnded();
const ended = updateEnded('ended');
const FIRST = 'request 1 level 1 @0';
/** A contract at a place that `wrote` does not touch, and one at the place that it changes. */
const ELSEWHERE = contractAt('/parts/mine');
const THERE = contractAt('/n/inner');
const pendingFrom = (...lines: readonly Line[]): readonly Line[] => [
  [done, 'none', ''],
  [idle, 'pending', FIRST],
  ...lines,
];

const STORIES: readonly Story[] = [
  // none
  [
    'work of a root ends',
    {},
    [
      [done, 'none', ''],
      [idleIn({ isRoot: true }), 'none', 'callback'],
    ],
  ],
  [
    'work ends in a tree without a state',
    {},
    [
      [done, 'none', ''],
      [idleIn({ hasState: false }), 'none', 'callback'],
    ],
  ],
  [
    'mode never asks for nothing',
    { settings: { mode: 'never' } },
    [
      [done, 'none', ''],
      [idle, 'skipped', 'callback'],
    ],
  ],
  [
    'a stopped session is not asked',
    {},
    [
      [workEnded('stopped'), 'none', ''],
      [idle, 'skipped', 'callback'],
    ],
  ],
  [
    'a failed child is asked',
    {},
    [
      [workEnded('failed'), 'none', ''],
      [idle, 'pending', FIRST],
    ],
  ],
  [
    'a child that ran out of time is asked',
    {},
    [
      [workEnded('timed_out'), 'none', ''],
      [idle, 'pending', FIRST],
    ],
  ],
  ['a completed child is asked', {}, pendingFrom()],
  [
    'mode unless_satisfied is content with a write whose contract holds',
    { settings: { mode: 'unless_satisfied' } },
    [
      [wrote(2), 'none', ''],
      [done, 'none', ''],
      [idle, 'completed', 'callback'],
    ],
  ],
  [
    'mode unless_satisfied asks where the child has not written, whatever stands there',
    { settings: { mode: 'unless_satisfied' } },
    pendingFrom(),
  ],
  [
    'mode unless_satisfied asks where the contract does not hold any more',
    { settings: { mode: 'unless_satisfied' } },
    [
      [wrote(2), 'none', ''],
      [done, 'none', ''],
      [idleIn({ contractViolations: () => [WRONG] }), 'pending', FIRST],
    ],
  ],
  [
    'mode unless_satisfied asks where the child has written only elsewhere, whatever stands there',
    { settings: { mode: 'unless_satisfied', contract: ELSEWHERE } },
    [[wrote(2), 'none', ''], ...pendingFrom()],
  ],
  [
    'mode unless_satisfied is content with a write of what contains the place',
    { settings: { mode: 'unless_satisfied', contract: THERE } },
    [
      [wrote(2), 'none', ''],
      [wrote(3), 'none', ''],
      [done, 'none', ''],
      [idle, 'completed', 'callback'],
    ],
  ],
  [
    'mode unless_satisfied is content with what a sub-agent wrote for the child, at the place',
    { settings: { mode: 'unless_satisfied', contract: THERE } },
    [
      [
        {
          type: 'written_for',
          version: 2,
          patch: [{ op: 'add', path: '/n/inner/x', value: 1 }],
          changesAt: changedAt('/n/inner/x'),
          valueHashAt: () => 'hash',
        },
        'none',
        '',
      ],
      [done, 'none', ''],
      [idle, 'completed', 'callback'],
    ],
  ],
  [
    'a lost child has no result where it has written only elsewhere',
    { settings: { contract: ELSEWHERE } },
    [
      [wrote(2), 'none', ''],
      [{ type: 'lost', reason: 'Gone.' }, 'none', ''],
      [idle, 'failed', 'callback'],
    ],
  ],
  [
    'a lost child has its result where it has written it',
    { settings: { contract: THERE } },
    [
      [wrote(2), 'none', ''],
      [{ type: 'lost', reason: 'Gone.' }, 'none', ''],
      [idle, 'completed', 'callback'],
    ],
  ],
  [
    'a child that cannot be asked has no result where it has written only elsewhere',
    { settings: { contract: ELSEWHERE } },
    [
      [wrote(2), 'none', ''],
      [{ ...workEnded('failed'), cause: 'configuration' }, 'none', ''],
      [idle, 'failed', 'callback'],
    ],
  ],
  [
    'a child that is asked answers with any write after which the contract holds',
    { settings: { contract: ELSEWHERE } },
    pendingFrom([wrote(2), 'completed', 'cancel']),
  ],
  ['mode always asks although the child has written', {}, [[wrote(2), 'none', ''], ...pendingFrom()]],
  [
    'the state goes while the child works',
    {},
    [
      [{ type: 'state_deleted' }, 'skipped', ''],
      [done, 'skipped', ''],
      [idleIn({ hasState: false }), 'skipped', 'callback'],
    ],
  ],
  // own children first
  [
    'ended work waits for the callbacks of the own children',
    {},
    [
      [done, 'none', ''],
      [idleIn({ awaitsCallbacks: true }), 'none', ''],
      [idle, 'pending', FIRST],
    ],
  ],
  [
    'a pending completion waits for the callbacks of the own children',
    {},
    pendingFrom(
      [ended, 'pending', ''],
      [idleIn({ awaitsCallbacks: true }), 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
    ),
  ],
  [
    'a completed one waits for the callbacks of the own children',
    {},
    pendingFrom(
      [wrote(2), 'completed', 'cancel'],
      [ended, 'completed', ''],
      [idleIn({ awaitsCallbacks: true }), 'completed', ''],
      [idle, 'completed', 'callback'],
    ),
  ],
  // pending
  [
    'a write whose contract holds completes, and is told when the child has ended its turn',
    {},
    pendingFrom([wrote(2), 'completed', 'cancel'], [ended, 'completed', ''], [idle, 'completed', 'callback']),
  ],
  [
    'a write that does not satisfy the contract is another attempt',
    {},
    pendingFrom(
      [wrote(2, WRONG), 'pending', ''],
      [ended, 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
    ),
  ],
  [
    'prompts grow stronger up to the third level',
    { settings: { attemptsMax: 4 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
      [ended, 'pending', ''],
      [idle, 'pending', 'request 3 level 3 @5000'],
      [ended, 'pending', ''],
      [idle, 'pending', 'request 4 level 3 @5000'],
    ),
  ],
  [
    'an update run that times out is an attempt of the child',
    { settings: { attemptsMax: 1 } },
    pendingFrom([updateEnded('timed_out'), 'pending', ''], [idle, 'failed', 'callback']),
  ],
  [
    'an agent that fails in its update run is an attempt of the child',
    { settings: { attemptsMax: 1 } },
    pendingFrom([updateEnded('agent_failed'), 'pending', ''], [idle, 'failed', 'callback']),
  ],
  [
    'with no attempt left it fails, and is told as failed',
    { settings: { attemptsMax: 2 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
    ),
  ],
  [
    'the delay between attempts is the one agreed',
    { settings: { retryDelayMs: 77 } },
    pendingFrom([ended, 'pending', ''], [idle, 'pending', 'request 2 level 2 @77']),
  ],
  [
    'an environment that fails gives the attempt back, and is waited for longer each time up to a bound',
    { limits: { environmentBackoffMs: 10, environmentBackoffMsMax: 35, environmentRetriesMax: 3 } },
    pendingFrom(
      [updateEnded('environment'), 'pending', ''],
      [idle, 'pending', 'request 1 level 1 @10 again'],
      [updateEnded('environment'), 'pending', ''],
      [idle, 'pending', 'request 1 level 1 @20 again'],
      [updateEnded('environment'), 'pending', ''],
      [idle, 'pending', 'request 1 level 1 @35 again'],
      [updateEnded('environment'), 'pending', ''],
      [idle, 'failed', 'callback'],
    ),
  ],
  [
    'an update run that cannot succeed ends it at once, and an operator can have it tried anew',
    {},
    pendingFrom(
      [updateEnded('configuration', 'Invalid API key'), 'pending', ''],
      [idle, 'failed', 'callback'],
      [{ type: 'retry', reason: 'new key' }, 'pending', ''],
      [idle, 'pending', 'request 1 level 1 @5000'],
      [updateEnded('prompt_too_long', 'Prompt is too long'), 'pending', ''],
      [idle, 'failed', ''],
    ),
  ],
  [
    'the state goes while the child is asked: the run is stopped, and it is told as skipped',
    {},
    pendingFrom(
      [{ type: 'state_deleted' }, 'skipped', 'stop'],
      [idleIn({ hasState: false }), 'skipped', 'callback'],
    ),
  ],
  [
    'a pending one whose state is gone is skipped and not asked again',
    {},
    pendingFrom([ended, 'pending', ''], [idleIn({ hasState: false }), 'skipped', 'callback']),
  ],
  [
    'the cause of its siblings fails it at once',
    {},
    pendingFrom(
      [{ type: 'circuit_open', fingerprint: 'f', reason: 'as the others' }, 'failed', 'stop'],
      [idle, 'failed', 'callback'],
    ),
  ],
  [
    'one that is still at work goes on beside a failure of its siblings',
    {},
    [[{ type: 'circuit_open', fingerprint: 'f', reason: 'r' }, 'none', '']],
  ],
  // completed
  [
    'one that is completed stays completed beside a failure of its siblings',
    {},
    pendingFrom(
      [wrote(2), 'completed', 'cancel'],
      [{ type: 'circuit_open', fingerprint: 'f', reason: 'r' }, 'completed', ''],
    ),
  ],
  [
    'one that is completed stays so when the state goes',
    {},
    pendingFrom([wrote(2), 'completed', 'cancel'], [{ type: 'state_deleted' }, 'completed', '']),
  ],
  [
    'a further write changes nothing about success',
    {},
    pendingFrom(
      [wrote(2), 'completed', 'cancel'],
      [wrote(3, WRONG), 'completed', ''],
      [idle, 'completed', 'callback'],
    ),
  ],
  // late
  [
    'a late write does not undo a failure',
    { settings: { attemptsMax: 1 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
      [wrote(2), 'failed', ''],
      [idle, 'failed', ''],
    ),
  ],
  [
    'a late write does not undo a skip',
    { settings: { mode: 'never' } },
    [
      [done, 'none', ''],
      [idle, 'skipped', 'callback'],
      [wrote(2), 'skipped', ''],
    ],
  ],
  // operator
  [
    'skip before the work has ended is told when it has',
    {},
    [
      [{ type: 'skip', reason: 'r' }, 'skipped', ''],
      [idle, 'skipped', ''],
      [done, 'skipped', ''],
      [idle, 'skipped', 'callback'],
    ],
  ],
  [
    'skip takes the run back',
    {},
    pendingFrom([{ type: 'skip', reason: 'r' }, 'skipped', 'stop'], [idle, 'skipped', 'callback']),
  ],
  [
    'skip waits for the own children',
    {},
    [
      [done, 'none', ''],
      [{ type: 'skip', reason: 'r' }, 'skipped', ''],
      [idleIn({ awaitsCallbacks: true }), 'skipped', ''],
      [idle, 'skipped', 'callback'],
    ],
  ],
  [
    'skip does not touch what is completed',
    {},
    pendingFrom([wrote(2), 'completed', 'cancel'], [{ type: 'skip', reason: 'r' }, 'completed', '']),
  ],
  [
    'skip does not touch what has failed',
    { settings: { attemptsMax: 1 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
      [{ type: 'skip', reason: 'r' }, 'failed', ''],
    ),
  ],
  [
    'skip does not touch a root that was handed on',
    {},
    [
      [done, 'none', ''],
      [idleIn({ isRoot: true }), 'none', 'callback'],
      [{ type: 'skip', reason: 'r' }, 'none', ''],
    ],
  ],
  [
    'retry stops the run, and asks with a fresh count',
    {},
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
      [{ type: 'retry', reason: 'r' }, 'pending', 'stop'],
      [idle, 'pending', FIRST],
    ),
  ],
  [
    'retry after a failure asks again, and is not told twice',
    { settings: { attemptsMax: 1 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
      [{ type: 'retry', reason: 'r' }, 'pending', ''],
      [idle, 'pending', 'request 1 level 1 @5000'],
      [wrote(2), 'completed', 'cancel'],
      [ended, 'completed', ''],
      [idle, 'completed', ''],
    ),
  ],
  [
    'a retry that fails again is not told twice',
    { settings: { attemptsMax: 1 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
      [{ type: 'retry', reason: 'r' }, 'pending', ''],
      [idle, 'pending', 'request 1 level 1 @5000'],
      [ended, 'pending', ''],
      [idle, 'failed', ''],
    ),
  ],
  [
    'a retried one that rests on a damaged record fails, and is not told twice',
    { settings: { attemptsMax: 1 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
      [{ type: 'retry', reason: 'r' }, 'pending', ''],
      [{ type: 'damaged', reason: 'd' }, 'failed', ''],
      [idle, 'failed', ''],
    ),
  ],
  [
    'a retry of one that was handed on does not wait for new children',
    { settings: { attemptsMax: 1 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'failed', 'callback'],
      [{ type: 'retry', reason: 'r' }, 'pending', ''],
      [idleIn({ awaitsCallbacks: true }), 'pending', 'request 1 level 1 @5000'],
    ),
  ],
  [
    'a retry can be skipped',
    { settings: { mode: 'never' } },
    [
      [done, 'none', ''],
      [idle, 'skipped', 'callback'],
      [{ type: 'retry', reason: 'r' }, 'pending', ''],
      [{ type: 'skip', reason: 'r' }, 'skipped', ''],
      [idle, 'skipped', ''],
    ],
  ],
  [
    'retry does not touch what is completed',
    {},
    pendingFrom([wrote(2), 'completed', 'cancel'], [{ type: 'retry', reason: 'r' }, 'completed', '']),
  ],
  [
    'retry does not touch what has not begun',
    {},
    [
      [{ type: 'retry', reason: 'r' }, 'none', ''],
      [done, 'none', ''],
      [{ type: 'retry', reason: 'r' }, 'none', ''],
    ],
  ],
  // once
  [
    'a second settling does not release again',
    { settings: { mode: 'never' } },
    [
      [done, 'none', ''],
      [idle, 'skipped', 'callback'],
      [idle, 'skipped', ''],
      [done, 'skipped', ''],
      [idle, 'skipped', ''],
    ],
  ],
  [
    'a state that comes later does not ask who was handed on without one',
    {},
    [
      [done, 'none', ''],
      [idleIn({ hasState: false }), 'none', 'callback'],
      [idle, 'none', ''],
    ],
  ],
  // work that goes on in the same generation
  [
    'work that goes on takes the end back',
    {},
    [
      [done, 'none', ''],
      [{ type: 'work_began' }, 'none', ''],
      [idle, 'none', ''],
      [done, 'none', ''],
      [idle, 'pending', FIRST],
    ],
  ],
  [
    'work that goes on while pending asks on afterwards',
    {},
    pendingFrom(
      [ended, 'pending', ''],
      [{ type: 'work_began' }, 'pending', ''],
      [idle, 'pending', ''],
      [done, 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
    ),
  ],
  // external
  [
    'the request of an external session is an attempt',
    { external: true, settings: { attemptsMax: 2 } },
    pendingFrom(
      [ended, 'pending', ''],
      [idle, 'pending', 'request 2 level 2 @5000'],
      [updateEnded('timed_out'), 'pending', ''],
      [idle, 'failed', 'callback'],
    ),
  ],
  [
    'an external session that writes is told of without a further word',
    { external: true },
    pendingFrom([wrote(2), 'completed', 'cancel'], [idle, 'completed', 'callback']),
  ],
];

describe('the completion machine', () => {
  it.each(STORIES)('%s', (_title, playing, lines) => {
    const machine = new Machine(playing);
    const seen = lines.map(([event]) => {
      const effects = machine.play(event);
      return [event.type, machine.completion.status, inShort(effects)];
    });
    expect(seen).toEqual(lines.map(([event, status, effects]) => [event.type, status, effects]));
  });

  const IMPOSSIBLE: readonly [string, readonly CompletionEvent[], CompletionEvent][] = [
    ['an update run that nobody made', [done], ended],
    ['the same end of an update run twice', [done, idle, ended], ended],
    [
      'a run that asks where nobody is asked',
      [done],
      { type: 'update_requested', runId: 'run_x', prompt: null },
    ],
    ['a second run that asks', [done, idle], { type: 'update_requested', runId: 'run_x', prompt: null }],
    ['settling while at work', [], idle],
    ['settling while an attempt is open', [done, idle], idle],
    ['a refused write before the child is asked', [done], { type: 'write_refused', violations: [WRONG] }],
    [
      'work that begins after the outcome was handed on',
      [workEnded('stopped'), idle],
      { type: 'work_began' },
    ],
    [
      'work that ends after the outcome was handed on',
      [workEnded('stopped'), idle],
      workEnded('failed', 'x'),
    ],
    ['a retry while at work', [], { type: 'retry', reason: 'r' }],
    [
      'the end of the state after the outcome was handed on',
      [workEnded('stopped'), idle],
      { type: 'state_deleted' },
    ],
    ['a second skip', [{ type: 'skip', reason: 'a' }], { type: 'skip', reason: 'b' }],
    ['doom before the child is asked', [done], { type: 'circuit_open', fingerprint: 'f', reason: 'r' }],
  ];

  it.each(IMPOSSIBLE)('%s changes nothing', (_title, before, event) => {
    const machine = new Machine();
    machine.play(...before);
    const { completion } = machine;
    expect(machine.play(event)).toEqual([]);
    expect(machine.completion).toBe(completion);
  });

  it('keeps the result of the work through update runs, to the last', () => {
    const machine = new Machine({ settings: { attemptsMax: 1 } });
    machine.play({
      type: 'work_ended',
      outcome: 'completed',
      resultText: 'seven',
      resultData: { n: 7 },
      error: null,
      cause: null,
    });
    machine.play(idle, updateEnded('agent_failed', 'out of tokens'), idle);
    expect(machine.completion).toMatchObject({
      status: 'failed',
      workOutcome: 'completed',
      resultText: 'seven',
      resultData: { n: 7 },
      workError: null,
    });
  });

  it('keeps the result of earlier work where later work of the generation says nothing', () => {
    const machine = new Machine();
    machine.play(workEnded('completed', 'seven'), { type: 'work_began' }, workEnded('failed'));
    expect(machine.completion).toMatchObject({ workOutcome: 'failed', resultText: 'seven' });
  });

  it.each(['', ' \n'])('keeps the text of earlier work where later work says %j', (text) => {
    const machine = new Machine();
    machine.play({ ...workEnded('completed', 'seven'), resultData: 7 }, { type: 'work_began' });
    machine.play({ ...workEnded('completed', text), resultData: 8 });
    expect(machine.completion).toMatchObject({ resultText: 'seven', resultData: 8 });
  });

  it('shows that the child itself has broken what it recorded, and that it has repaired it', () => {
    const machine = new Machine({ settings: { contract: THERE } });
    machine.play(done, idle, wrote(2), wrote(3, WRONG), wrote(4, WRONG));
    expect(machine.completion).toMatchObject({
      status: 'completed',
      broken: { by: 'child', version: 3, errors: [WRONG] },
    });
    machine.play(wrote(5));
    expect(machine.completion.broken).toBeNull();
  });

  it('keeps what a lost session says later where it had said nothing', () => {
    const machine = new Machine();
    machine.play(workEnded('completed', ''), { type: 'lost', reason: 'Gone.' }, idle);
    machine.play(workEnded('completed', ' '), workEnded('completed', 'seven'));
    expect(machine.completion).toMatchObject({ workOutcome: 'lost', resultText: 'seven' });
  });

  it('tells the failures of the contract to the next prompt, and forgets them with success', () => {
    const machine = new Machine();
    machine.play(done, idle, wrote(2, WRONG));
    expect(machine.completion.lastErrors).toEqual([WRONG]);
    machine.play(ended, idle);
    expect(machine.completion.lastErrors).toEqual([WRONG]);
    expect(machine.completion.attempts).toMatchObject([
      { attempt: 1, runId: 'run_1', promptLevel: 1, outcome: 'contract_failed', errors: [WRONG] },
      { attempt: 2, runId: 'run_2', promptLevel: 2, outcome: 'open', errors: [] },
    ]);
    machine.play(wrote(3), ended);
    expect(machine.completion.lastErrors).toEqual([]);
    expect(machine.completion.attempts.at(-1)).toMatchObject({ outcome: 'recorded', errors: [] });
  });

  it('does not give the errors of one attempt to the next', () => {
    const machine = new Machine();
    machine.play(done, idle, wrote(2, WRONG), ended, idle, ended);
    expect(machine.completion.attempts.map((one) => one.outcome)).toEqual(['contract_failed', 'no_write']);
    expect(machine.completion.lastErrors).toEqual([WRONG]);
  });

  it('tells a refused write to the next prompt, bounded in number', () => {
    const machine = new Machine({ limits: { violationsMax: 2 } });
    machine.play(done, idle, { type: 'write_refused', violations: [WRONG, WRONG, WRONG] });
    expect(machine.completion.lastErrors).toHaveLength(2);
  });

  it('tells in its first prompt what was missing when the work ended', () => {
    const machine = new Machine({ settings: { mode: 'unless_satisfied' } });
    machine.play(wrote(2), done, idleIn({ contractViolations: () => [WRONG] }));
    expect(machine.completion.lastErrors).toEqual([WRONG]);
  });

  it('counts what the surroundings failed apart from the attempts of the child', () => {
    const machine = new Machine();
    machine.play(done, idle, updateEnded('environment', 'no runner'), idle, ended, idle);
    expect(machine.completion).toMatchObject({ attempt: 2, environmentRetries: 1 });
    expect(machine.completion.attempts.map((one) => [one.attempt, one.outcome])).toEqual([
      [1, 'environment'],
      [1, 'no_write'],
      [2, 'open'],
    ]);
  });

  it('says why it failed', () => {
    const reasons = (['ended', 'timed_out', 'agent_failed'] as const).map((how) => {
      const machine = new Machine({ settings: { attemptsMax: 1 } });
      machine.play(done, idle, updateEnded(how), idle);
      return machine.completion.reason;
    });
    expect(reasons).toEqual([
      'The child recorded nothing (1 of 1 attempts).',
      'The child did not answer in time (1 of 1 attempts).',
      'The child failed while it was asked to record its result (1 of 1 attempts).',
    ]);
    const written = new Machine({ settings: { attemptsMax: 1 } });
    written.play(wrote(2), done, idle, ended, idle);
    expect(written.completion.reason).toBe('The child recorded nothing new (1 of 1 attempts).');
    const elsewhere = new Machine({ settings: { attemptsMax: 1, contract: ELSEWHERE } });
    elsewhere.play(wrote(2), done, idle, ended, idle);
    expect(elsewhere.completion).toMatchObject({
      wrote: false,
      lastWriteVersion: 2,
      reason: expect.stringContaining('nothing new'),
    });
    const environment = new Machine({ limits: { environmentRetriesMax: 0 } });
    environment.play(done, idle, updateEnded('environment', 'No runner.'), idle);
    expect(environment.completion.reason).toBe('The child could not be asked: No runner. (1 tries).');
  });

  it('gives equal causes equal fingerprints, and others others', () => {
    const fingerprint = (how: 'ended' | 'agent_failed', error: string | null, ...wrong: (typeof WRONG)[]) => {
      const machine = new Machine({ settings: { attemptsMax: 1 } });
      machine.play(done, idle, ...wrong.map((one) => wrote(2, one)), updateEnded(how, error), idle);
      return machine.completion.causeFingerprint;
    };
    const at = (pointer: string) => ({ ...WRONG, pointer });
    expect(fingerprint('agent_failed', 'exit 7 in run_00000001')).toBe(
      fingerprint('agent_failed', 'exit 9 in run_00000002'),
    );
    expect(fingerprint('agent_failed', 'exit 7')).not.toBe(fingerprint('agent_failed', 'no such file'));
    expect(fingerprint('ended', null, at('/tasks/0'))).toBe(fingerprint('ended', null, at('/tasks/1')));
    expect(fingerprint('ended', null, at('/tasks/0'))).not.toBe(fingerprint('ended', null));
  });

  it('is due at once when the child has written, and not any more once that was told', () => {
    const machine = new Machine();
    machine.play(done, idle, wrote(2));
    expect(machine.completion.dueAt).toBe(machine.now);
    machine.play(ended);
    expect(machine.completion.dueAt).toBeNull();
  });

  it('is not due for ever while it waits for children without an attempt under way', () => {
    const machine = new Machine();
    machine.play(done, idle, ended, idleIn({ awaitsCallbacks: true }), wrote(2));
    expect(machine.completion).toMatchObject({ status: 'completed', dueAt: machine.now });
    machine.play(ended, idleIn({ awaitsCallbacks: true }));
    expect(machine.completion).toMatchObject({ status: 'completed', dueAt: null, releasedAt: null });
    expect(inShort(machine.play(idle))).toBe('callback');
  });

  it('is due when the request of an external session was not answered in time, and only then', () => {
    const external = new Machine({ external: true, settings: { timeoutMs: 900 } });
    external.play(done, idle);
    expect(external.completion).toMatchObject({
      dueAt: external.now + 900,
      request: { attempt: 1, of: 3, prompt: 'Record it.' },
    });
    external.play(updateEnded('timed_out'));
    expect(external.completion).toMatchObject({ dueAt: null, request: null });
    const run = new Machine();
    run.play(done, idle);
    expect(run.completion).toMatchObject({ dueAt: null, request: null });
  });

  it('keeps what the child changed, bounded, and says where something is left out', () => {
    const machine = new Machine({ limits: { callbackChangesBytesMax: 140 } });
    machine.play(wrote(2), wrote(3), wrote(4), wrote(5));
    expect(machine.completion).toMatchObject({ wrote: true, lastWriteVersion: 5, changesTruncated: true });
    expect(machine.completion.changes.map((one) => one.version)).toEqual([2, 3]);
  });

  it('closes the attempt that is open when it is released', () => {
    const machine = new Machine();
    machine.play(done, idle, wrote(2), idle);
    expect(machine.completion.attempts.map((one) => one.outcome)).toEqual(['recorded']);
    expect(isOver(machine.completion)).toBe(true);
  });

  it('is over when it was handed on and nobody is asked', () => {
    const machine = new Machine({ settings: { attemptsMax: 1 } });
    const over: boolean[] = [];
    for (const event of [
      done,
      idle,
      ended,
      idle,
      { type: 'retry', reason: 'r' } as const,
      idle,
      wrote(2),
      ended,
    ]) {
      machine.play(event);
      over.push(isOver(machine.completion));
    }
    expect(over).toEqual([false, false, false, true, false, false, false, true]);
  });
});
