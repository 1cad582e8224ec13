// Real opencode as somebody works with it, served once and talked to again and again: the plugin that `connect` writes holds
// a child to its contract, and closes the gate before its tools. Its model is a stand-in.
import { spawn, type ChildProcess } from 'node:child_process';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import { openStage } from './open-stage.js';
import type { Heard, Script, Turn } from './stand-in/script.js';

const STORY_MS = 120_000;
const CONTRACT = { pointer: '/score', schema: { type: 'integer' } };

const clients = openStage();

/** One conversation of an opencode that is served, with the plugin. */
class Conversation {
  /** Everything that opencode told those who watch it. */
  readonly events: { readonly type: string; readonly properties: any }[] = [];

  private constructor(
    private readonly program: ChildProcess,
    private readonly url: string,
    private readonly id: string,
  ) {}

  static async open(session: string, script: Script): Promise<Conversation> {
    const made = await clients.place('opencode', script);
    const env = { ...made.environment, AGENT_SESSION_NAME: session };
    const connect = ['connect', 'opencode', '--gate', '--yes', '--project-dir', made.project];
    expect(await runProgram(connect, { env })).toMatchObject({ code: 0 });
    const program = spawn('opencode', ['serve', '--port', '0'], {
      cwd: made.project,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise((resolve) => program.once('close', resolve));
    clients.opened({ close: () => (program.kill(), ended) });
    let printed = '';
    program.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    // What comes earlier is accepted, and never answered.
    const url = await eventually('opencode listens', () => /listening on (\S+)/.exec(printed)?.[1]);
    const conversation = new Conversation(program, url, (await post(`${url}/session`, {})).id);
    void conversation.#watch();
    return conversation;
  }

  /** @returns When the turn has ended. */
  say(text: string): Promise<unknown> {
    return post(`${this.url}/session/${this.id}/message`, { parts: [{ type: 'text', text }] });
  }

  end(): void {
    this.program.kill();
  }

  async #watch(): Promise<void> {
    try {
      const { body } = await fetch(`${this.url}/event`);
      let text = '';
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk).toString();
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('data: ')) this.events.push(JSON.parse(line.slice('data: '.length)));
        }
      }
    } catch {
      // It ends with the program.
    }
  }
}

async function post(url: string, body: object): Promise<{ id: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as { id: string };
}

it(
  'asks a child for its result until its contract holds, and refuses its tools where there is no state',
  async () => {
    const [root, child] = ['root-of-opencode', 'child-in-opencode'];
    must(await clients.stage.operator.sessions.create({ session_name: root, external: true }));
    const completion = { contract: CONTRACT, await_state: true };
    const promised = { external: true, parent_session_name: root, completion };
    const { session_id } = must(
      await clients.stage.operator.sessions.create({ session_name: child, ...promised }),
    );
    const heard: Heard[] = [];
    const conversation = await Conversation.open(child, (one): Turn => {
      heard.push(one);
      const { prompt, turn } = one;
      if (prompt.includes('<state-update-request attempt="1"')) return { say: 'But I told you: one.' };
      if (prompt.includes('<state-update-request')) {
        const operations = [{ op: 'add', path: '/score', value: 1 }];
        const record: Turn = { call: { tool: 'state_patch', input: { operations } } };
        return turn === 0 ? record : { say: 'It is recorded.' };
      }
      const input = { command: 'echo "I am $AGENT_SESSION_NAME"', description: 'says who it is' };
      return turn === 0 ? { call: { tool: 'bash', input } } : { say: 'The score is one.' };
    });
    await conversation.say('Score it.');
    expect(heard.map(({ answer }) => answer).at(-1)).toContain(
      'Countersign denies bash: the tree of this session has no workflow state',
    );
    expect(heard[0]?.system).toContain('<countersign-session');
    await eventually('its stop is reported', async () => {
      return must(await clients.stage.operator.sessions.result(child)).result_text === 'The score is one.';
    });
    const empty = { schema_name: 'any', initial_data: {}, root_session_name: root };
    const { state_id } = must(await clients.stage.operator.states.create(empty));
    heard.length = 0;
    await conversation.say('Score it again.');
    expect(heard.map(({ answer }) => answer)).toContain(`I am ${child}\n`);
    const recorded = await eventually('the child has recorded its result', async () => {
      const one = must(await clients.stage.operator.sessions.completion(child));
      return one.attempts.at(-1)?.outcome === 'recorded' && one;
    });
    expect(recorded).toMatchObject({
      state_update_status: 'completed',
      attempts: [{ outcome: 'no_write' }, { outcome: 'recorded' }],
    });
    expect(must(await clients.stage.operator.states.get(state_id)).current_data).toEqual({ score: 1 });
    const { events } = must(await clients.stage.operator.states.events(state_id, {}));
    expect(events.at(-1)).toMatchObject({ session_id });
  },
  STORY_MS,
);

it(
  'tells of its end, so that a child that has not done its work is lost',
  async () => {
    const root = 'root-of-ended';
    must(await clients.stage.operator.sessions.create({ session_name: root, external: true }));
    must(
      await clients.stage.operator.states.create({
        schema_name: 'any',
        initial_data: {},
        root_session_name: root,
      }),
    );
    const promised = { external: true, parent_session_name: root };
    must(await clients.stage.operator.sessions.create({ session_name: 'ended', ...promised }));
    let works = false;
    const conversation = await Conversation.open('ended', ({ turn }) => {
      works = turn === 0;
      return { call: { tool: 'bash', input: { command: 'sleep 60', description: 'works' } } };
    });
    void conversation.say('Score it.').catch(() => undefined);
    await eventually('the child works', () => works, STORY_MS);
    conversation.end();
    await eventually('the child is lost', async () => {
      const { status } = must(await clients.stage.operator.sessions.get('ended'));
      const { reason } = must(await clients.stage.operator.sessions.completion('ended'));
      return status === 'failed' && reason?.includes('client ended') === true;
    });
  },
  STORY_MS,
);

it(
  'shows whom a leader waits for when it begins to wait',
  async () => {
    const root = 'leader-in-opencode';
    const conversation = await Conversation.open(root, ({ turn }) => {
      if (turn > 1) return { say: 'I wait for my child.' };
      const state = { schema_name: 'any', initial_data: {} };
      if (turn === 0) return { call: { tool: 'state_create', input: state } };
      const input = { session_name: 'awaited-in-opencode', prompt: 'Score it.', callback: true };
      return { call: { tool: 'start_agent_session', input } };
    });
    await conversation.say('Have it scored.');
    const shown = await eventually('the names are shown', () =>
      conversation.events.find(({ type }) => type === 'tui.toast.show'),
    );
    expect(shown.properties.message).toContain('At work: awaited-in-opencode.');
  },
  STORY_MS,
);
