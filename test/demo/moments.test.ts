// The timeline as a function of what the service knows, and the verdict on how the story went.
import { describe, expect, it } from 'vitest';
import { deviationsOf } from '../../src/demo/check.js';
import { momentsOf } from '../../src/demo/moments.js';
import type { Snapshot } from '../../src/demo/snapshot.js';
import { Timeline } from '../../src/demo/timeline.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (ms: number) => new Date(START + ms).toISOString();

const run = (members: object): any => ({
  run_id: 'run_1',
  purpose: 'work',
  session_id: 'ses_todos',
  session_name: 'todos',
  status: 'completed',
  metadata: {},
  error: null,
  started_at: at(100),
  completed_at: at(900),
  ...members,
});

function snapshot(members: Partial<Record<keyof Snapshot, any>>): Snapshot {
  const sessions: any = [
    { session_id: 'ses_root', session_name: 'root' },
    { session_id: 'ses_todos', session_name: 'todos' },
  ];
  return {
    sessions,
    runs: [],
    callbacks: [],
    completions: new Map(),
    state: null,
    events: [],
    ...members,
  };
}

const completion = (members: object): any => ({
  session_id: 'ses_todos',
  state_update_status: 'pending',
  attempts: [],
  reason: null,
  released_at: null,
  ...members,
});

const texts = (one: Snapshot) => momentsOf(one).map(({ who, text }) => `${who}: ${text}`);

describe('the timeline', () => {
  it('tells the errors of a refused write, the first two of them', () => {
    const errors = ['total', 'oldest_days', 'items'].map((name) => ({
      pointer: `/reviews/todos/${name}`,
      message: 'is wrong',
    }));
    const attempt = { outcome: 'contract_failed', errors, started_at: at(200), ended_at: at(300) };
    const one = snapshot({ completions: new Map([['ses_todos', completion({ attempts: [attempt] })]]) });
    expect(texts(one)).toEqual([
      'todos: write refused: /reviews/todos/total is wrong; /reviews/todos/oldest_days is wrong (and 1 more)',
    ]);
  });

  it('leaves out what has not happened yet', () => {
    const waiting = run({ status: 'pending', started_at: null, completed_at: null });
    const open = completion({
      attempts: [{ outcome: 'open', errors: [], started_at: at(1), ended_at: null }],
    });
    expect(momentsOf(snapshot({ runs: [waiting], completions: new Map([['ses_todos', open]]) }))).toEqual([]);
  });

  it('tells several callbacks that resume the parent together', () => {
    const resume = run({
      purpose: 'callback',
      session_name: 'root',
      completed_at: null,
      metadata: { callback_sources: ['languages', 'todos'] },
    });
    expect(texts(snapshot({ runs: [resume] }))).toEqual([
      'root: parent resumed with the callback of languages, todos',
    ]);
  });

  it('tells the end of a process that failed', () => {
    const failed = run({ status: 'failed', error: 'exited with code 1' });
    expect(texts(snapshot({ runs: [failed] }))).toEqual([
      'todos: session started',
      'todos: its process failed: exited with code 1',
    ]);
  });

  it('shows each moment once, and holds back what may still get a predecessor', () => {
    let shown = '';
    const timeline = new Timeline({
      startedAt: START,
      children: 5,
      paper: { colour: false, width: 100 },
      write: (text) => (shown += text),
    });
    const moments = momentsOf(snapshot({ runs: [run({})] }));
    timeline.show(moments, START + 500);
    expect(shown).toBe('   0.10s  0/5  todos          session started\n');
    timeline.show(moments, Infinity);
    timeline.show(moments, Infinity);
    expect(shown.split('\n')).toHaveLength(3);
  });

  it('lets nothing through that steers a terminal', () => {
    let shown = '';
    const timeline = new Timeline({
      startedAt: START,
      children: 5,
      paper: { colour: false, width: 100 },
      write: (text) => (shown += text),
    });
    timeline.show(
      momentsOf(snapshot({ runs: [run({ status: 'failed', error: 'x\u001b[2Jy\nz' })] })),
      Infinity,
    );
    expect(shown).toContain('x\ufffd[2Jy z');
  });
});

describe('the check', () => {
  it('names everything that is missing', () => {
    const deviations = deviationsOf(snapshot({}), { healthy: false, findings: [] });
    expect(deviations).toEqual([
      'languages was never started.',
      'largest-files was never started.',
      'todos was never started.',
      'dependencies was never started.',
      'test-ratio was never started.',
      'The root has not written its summary.',
      'countersign doctor found something that must never be.',
    ]);
  });

  it('names a child that ended in another way than was told', () => {
    const done = completion({ state_update_status: 'skipped', reason: 'Skipped by the operator.' });
    const one = snapshot({ completions: new Map([['ses_todos', done]]) });
    expect(deviationsOf(one, { healthy: true, findings: [] } as any)).toEqual(
      expect.arrayContaining([
        'todos ended as skipped instead of completed: Skipped by the operator.',
        'todos answered its prompts with [] instead of [contract_failed, recorded].',
        'todos has called back as [] instead of once.',
        '/reviews/todos is not in the final state.',
      ]),
    );
  });
});
