// docs/ci.md: its jobs are well formed, and its commands end as it says, run against a service that asks for tokens.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../src/cli/text/exit-codes.js';
import { createClient, type CountersignService } from '../../src/client/index.js';
import { builtProgram } from '../support/built-program.js';
import { freePort } from '../support/free-port.js';
import { Program, runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import { codeBlocks, sectionOf, tableRows, textOf } from './markdown.js';

const page = textOf('docs/ci.md');
const [github, gitlab] = codeBlocks(page, 'yaml').map((block): any => parse(block));
const [loop = '', stream = ''] = codeBlocks(sectionOf(page, 'Without the program'), 'sh');
const hook = codeBlocks(sectionOf(page, 'Being called instead'), 'sh')[0] ?? '';
const [wait = ''] = codeBlocks(page, 'sh');

const steps: readonly { name?: string; run?: string }[] = github.jobs.release.steps;
const githubScript = (name: string) => steps.find((step) => step.name === name)?.run ?? '';
/** What a GitLab runner makes of the lines: one shell that ends with the first failure. `npm ci` has been done. */
const gitlabScript = gitlab.review.script.filter((line: string) => line !== 'npm ci').join('\n');

describe('the page', () => {
  test('has the exit codes of the program', () => {
    const codes = tableRows(page).map(([code]) => Number(code));
    expect(codes).toEqual(
      expect.arrayContaining([EXIT.ok, EXIT.timedOut, EXIT.cannotMatch, EXIT.unreachable]),
    );
    for (const code of codes) expect(Object.values(EXIT)).toContain(code);
  });

  test('waits with the same command everywhere', () => {
    const command = wait.trim();
    expect(githubScript('Wait for the review')).toContain(`npx ${command} || code=$?`);
    expect(gitlab.review.script).toContain(`npx ${command}`);
  });

  test('keeps tokens in secrets, and what comes from outside out of scripts', () => {
    expect(github.jobs.release.env.COUNTERSIGN_TOKEN).toBe('${{ secrets.COUNTERSIGN_TOKEN }}');
    expect(gitlab.review.variables).not.toHaveProperty('COUNTERSIGN_TOKEN');
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    expect(gitlab.review.allow_failure.exit_codes).toEqual([EXIT.timedOut]);
    expect(gitlab.review.retry.exit_codes).toEqual([EXIT.unreachable]);
  });
});

describe('its commands', { timeout: 60_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-ci-'));
  const db = join(dir, 'countersign.db');
  let service: Program;
  let url: string;
  let bin: string;
  let admin: CountersignService;
  let reader: string;
  let count = 0;

  const token = async (name: string, role: string) => {
    const made = await runProgram(['token', 'create', '--name', name, '--role', role, '--db', db, '--json']);
    return (JSON.parse(made.stdout) as { token: string }).token;
  };

  beforeAll(async () => {
    bin = join(dirname(dirname(await builtProgram())), 'bin');
    const port = await freePort();
    url = `http://127.0.0.1:${String(port)}`;
    service = await Program.start([
      'serve',
      '--port',
      String(port),
      '--db',
      db,
      '--auth',
      '--log-level',
      'warn',
    ]);
    await service.printed(/ready at/);
    reader = await token('ci', 'reader');
    admin = createClient({ url, token: await token('root', 'admin') });
    must(await admin.schemas.register({ name: 'review', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    await service.end();
    rmSync(dir, { recursive: true, force: true });
  });

  const review = async (status: string) => {
    const root_session_name = `release-${String((count += 1))}`;
    must(await admin.sessions.create({ session_name: root_session_name, external: true }));
    const initial_data = { status, result: { version: 3 } };
    return must(await admin.states.create({ schema_name: 'review', initial_data, root_session_name }));
  };

  /** Runs a script as a job does, with the waits of the page cut to what a test has time for. */
  const job = async (script: string, env: Record<string, string>, flags = '-e -o pipefail') => {
    const short = script
      .replaceAll('--timeout 10m', '--timeout 1s')
      .replaceAll('seq 20', 'seq 2')
      .replaceAll('30000', '400');
    // npx finds the program in the packages of a job's repository; here it is the one of this checkout.
    const text = `set ${flags}\nnpx() { "$@"; }\n${short}`;
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(COUNTERSIGN_|AGENT_|WORKFLOW_)/.test(name),
    );
    const child = spawn('bash', ['-c', text], {
      cwd: dir,
      env: {
        ...Object.fromEntries(own),
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        COUNTERSIGN_URL: url,
        COUNTERSIGN_TOKEN: reader,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, stdout, stderr };
  };

  const OUTCOMES = [
    ['completed', EXIT.ok],
    ['failed', EXIT.cannotMatch],
    ['reviewing', EXIT.timedOut],
  ] as const;

  test.each(OUTCOMES)('end with the code of a review that is %s: %i', async (status, code) => {
    const { state_id } = await review(status);
    const env = { WORKFLOW_STATE_ID: state_id };
    expect(await job(wait, env)).toMatchObject({ code });
    const step = await job(githubScript('Wait for the review'), env);
    expect(step.code).toBe(code);
    expect(step.stdout.includes('::error::')).toBe(code !== 0);
    expect(await job(loop, env)).toMatchObject({ code });
  });

  test.each([
    ['there is no such state', { WORKFLOW_STATE_ID: 'wfstate_none' }, EXIT.notFound],
    ['the token is wrong', { COUNTERSIGN_TOKEN: 'nobody' }, EXIT.notAllowed],
    ['nothing answers', { COUNTERSIGN_URL: 'http://127.0.0.1:1' }, EXIT.unreachable],
  ])('say by their code that %s', async (_, env, code) => {
    const { state_id } = await review('completed');
    expect(await job(wait, { WORKFLOW_STATE_ID: state_id, ...env })).toMatchObject({ code });
  });

  test('go on as soon as the state is completed', async () => {
    const { state_id } = await review('reviewing');
    const waiting = job(wait.replace('10m', '20s'), { WORKFLOW_STATE_ID: state_id });
    must(await admin.states.mergePatch(state_id, { status: 'completed' }, {}));
    expect(await waiting).toMatchObject({ code: EXIT.ok });
  });

  test('of the whole job for GitHub Actions find the state and take the result', async () => {
    const { state_id, root_session_name } = await review('completed');
    const file = join(dir, 'github-env');
    writeFileSync(file, '');
    const found = await job(githubScript('Find the state'), { ROOT: root_session_name, GITHUB_ENV: file });
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe(`WORKFLOW_STATE_ID=${state_id}\n`);
    expect(await job(githubScript('Take the result'), { WORKFLOW_STATE_ID: state_id })).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(readFileSync(join(dir, 'result.json'), 'utf8'))).toEqual({ version: 3 });
  });

  test.each(OUTCOMES)(
    'of the whole job for GitLab end with the code of a review that is %s: %i',
    async (status, code) => {
      const { root_session_name } = await review(status);
      expect(await job(gitlabScript, { ROOT: root_session_name })).toMatchObject({ code });
    },
  );

  test('show the state on its stream', async () => {
    const { state_id } = await review('reviewing');
    const { code, stdout } = await job(stream, { WORKFLOW_STATE_ID: state_id });
    expect(code).toBe(0);
    expect(stdout).toContain('event: snapshot');
    expect(stdout).toContain('"reviewing"');
  });

  test('register the webhook for an orchestrator only', async () => {
    const { state_id } = await review('reviewing');
    const env = { WORKFLOW_STATE_ID: state_id };
    expect((await job(hook, env)).code).not.toBe(0);
    const made = await job(hook, { ...env, COUNTERSIGN_TOKEN: await token('boss', 'orchestrator') });
    expect(JSON.parse(made.stdout)).toMatchObject({ state_id, secret: expect.stringMatching(/^whsec_/) });
  });
});
