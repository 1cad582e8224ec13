// The workflow demonstration, as a user starts it.
import { afterEach, describe, expect, it } from 'vitest';
import { startDemo, type Demo } from './program.js';

const running: Demo[] = [];
afterEach(() => {
  for (const demo of running.splice(0)) demo.remove();
});

describe('the workflow demonstration', { timeout: 60_000 }, () => {
  it('shows a record that no agent has written, and leaves nothing behind', async () => {
    const story = await startDemo(['--workflow']);
    running.push(story);
    expect(await story.ended, story.out() + story.err()).toBe(0);
    const out = story.out();
    const agents = [...out.matchAll(/^(\w+) +completed /gm)].map(([, agent]) => agent);
    expect(agents).toEqual(['analyst', 'implementer', 'critic', 'implementer', 'critic']);
    expect(out).toMatch(/critic +reject +nothing shows[^]*critic +approve +the test shows it\./);
    expect(out).toContain('Verdicts: clear. Pending hand-offs: 0. Writes by agents: 0.');
    expect(story.err()).toBe('');
    expect(story.left()).toEqual([]);
  });

  it('stays with --keep, so that the record can be read', async () => {
    const story = await startDemo(['--workflow', '--keep']);
    running.push(story);
    await story.printed('It keeps running until Ctrl-C.');
    expect(story.out()).toMatch(/AGENT_SESSION_NAME=orchestrator countersign workflow show --url http/);
    story.signal('SIGINT');
    expect(await story.ended).toBe(0);
  });
});
