// Named agents with the real program: named through every interface, started by name, and executed as their files say.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { McpClient } from '../../support/mcp.js';
import { runProgram } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

describe('a named agent', { timeout: STORY_MS_MAX }, () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-agents-'));
  const folder = join(home, 'agents');
  const put = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  const scribe = {
    description: 'Says what it was given.',
    executor: 'command',
    command:
      'cat; echo; echo "$COUNTERSIGN_MODEL|$COUNTERSIGN_SYSTEM_PROMPT"; echo "$COUNTERSIGN_MCP_SERVERS"',
    model: 'large',
    system_prompt: 'Be brief.',
    mcp_servers: {
      web: {
        type: 'http',
        url: '${COUNTERSIGN_URL}/mcp',
        headers: { Authorization: 'Bearer ${COUNTERSIGN_TOKEN}', 'X-Home': '${env:HOME}' },
      },
      files: { type: 'stdio', command: 'files', args: ['${PROJECT_DIR}', '${AGENT_SESSION_NAME}'] },
    },
    environment: ['HOME'],
    completion: { mode: 'never' },
  };
  let stage: Stage;

  beforeAll(async () => {
    mkdirSync(folder);
    put('scribe.json', scribe);
    put('broken.json', '{"executor": "command",\n "prompt": 7}');
    put('needy.json', {
      executor: 'command',
      command: 'true',
      environment: ['SURELY_NOT_SET'],
      mcp_servers: {
        a: { type: 'http', url: 'http://127.0.0.1:9', headers: { 'X-Needs': '${env:SURELY_NOT_SET}' } },
      },
    });
    put('README.md', 'no agent');
    stage = await Stage.open({ serve: ['--agents', folder] });
  });
  afterAll(async () => {
    await stage.close();
    rmSync(home, { recursive: true, force: true });
  });

  const ended = (session: string) =>
    eventually(`${session} has ended`, async () => {
      const { status } = must(await stage.operator.sessions.get(session));
      return (status === 'finished' || status === 'failed') && status;
    });

  it('is told by the command line, HTTP and MCP, and one that is broken by the log', async () => {
    expect(stage.coordinator.log).toMatch(/"agent":"broken".*\/prompt.*the file of an agent cannot be used/);
    const listed = await stage.command('agent', 'list');
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toMatch(/broken +broken .*\/prompt: the member "prompt" is not allowed/);
    expect(listed.stdout).toMatch(/scribe +ready +command +large +Says what it was given\./);
    expect(listed.stdout).not.toContain('README');
    expect((await stage.command('agent', 'show', 'broken')).code).toBe(1);
    const shown = await stage.command('agent', 'show', 'scribe');
    expect(shown.stdout).toMatch(/MCP servers +web, files\n[^]*Be brief\.\n$/);
    const answer = await fetch(`${stage.url}/agents/scribe`);
    expect(await answer.json()).toMatchObject({ name: 'scribe', system_prompt: 'Be brief.', errors: [] });
    const client = await McpClient.http(stage.url);
    const { agents } = await client.must('list_agent_blueprints');
    expect(agents).toEqual([
      { name: 'needy', description: null, executor: 'command', model: null },
      { name: 'scribe', description: 'Says what it was given.', executor: 'command', model: 'large' },
    ]);
    const path = await client.call('start_agent_session', { prompt: 'x', agent_name: '../agents/scribe' });
    expect(path.text).toMatch(/^invalid_request: at \/agent_name /);
    const wrong = await client.call('start_agent_session', { prompt: 'x', agent_name: 'scribbler' });
    expect(wrong.text).toMatch(/^agent_not_found: .*\nNext: call list_agent_blueprints/);
    await client.close();
  });

  it('is executed as its file says at the time', async () => {
    const start = ['session', 'start', '--agent', 'scribe', '--name', 'first', '--prompt', 'Go.', '--wait'];
    const { code, stdout } = await stage.command(...start);
    expect(code).toBe(0);
    const [prompt, facts, servers] = stdout.split('\n');
    expect([prompt, facts]).toEqual(['Go.', 'large|Be brief.']);
    expect(JSON.parse(servers ?? '')).toEqual({
      mcpServers: {
        web: {
          type: 'http',
          url: `${stage.url}/mcp`,
          headers: {
            Authorization: expect.stringMatching(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/) as string,
            'X-Home': process.env['HOME'],
          },
        },
        files: { type: 'stdio', command: 'files', args: [stage.dir, 'first'] },
      },
    });
    put('scribe.json', { ...scribe, model: 'small', mcp_servers: {} });
    const again = await stage.command('session', 'resume', 'first', '--prompt', 'And now?', '--wait');
    expect(again.stdout).toMatch(/^And now\?\nsmall\|Be brief\.\n/);
    put('scribe.json', scribe);
  });

  it('that is broken is not started, and says where', async () => {
    const { code, stderr } = await stage.command('session', 'start', '--agent', 'broken', '--prompt', 'x');
    expect(code).toBe(5);
    expect(stderr).toMatch(/\(agent_broken\)\n[^]*\/prompt: [^]*hint: correct its file/);
    const missing = await stage.command('session', 'start', '--agent', 'nobody', '--prompt', 'x');
    expect(missing.code).toBe(4);
    expect(missing.stderr).toMatch(/known: broken, needy, scribe\nhint: countersign agent list/);
  });

  it('whose variable the runner lacks is given back with the place that wants it', async () => {
    const start = { type: 'start_session', session_name: 'poor', agent_name: 'needy', prompt: 'go' } as const;
    const { run_id } = must(await stage.operator.runs.create(start));
    await eventually('the run was given back', async () => {
      const { error } = must(await stage.operator.runs.get(run_id));
      return (
        error?.includes(
          '/mcp_servers/a/headers/X-Needs: this runner has nothing for ${env:SURELY_NOT_SET}',
        ) === true
      );
    });
    put('needy.json', { executor: 'command', command: 'echo fine' });
    expect(await ended('poor')).toBe('finished');
  });

  it('needs a folder that is there', async () => {
    const refused = await runProgram([
      'serve',
      '--port',
      '0',
      '--db',
      join(home, 'x.db'),
      '--agents',
      join(home, 'nowhere'),
    ]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(
      `error: --agents ${join(home, 'nowhere')} is not a folder; make it, or name the one that has the agents.\n`,
    );
  });
});
