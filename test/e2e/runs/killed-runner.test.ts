// What a killed runner leaves on the disk of its machine.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { Program } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

let stage: Stage;
const runners: Program[] = [];

beforeAll(async () => {
  stage = await Stage.open({ runner: null });
});
afterAll(async () => {
  for (const one of runners) await one.end('SIGKILL');
  await stage.close();
});

async function startRunner(temporary: string, bin: string): Promise<Program> {
  const own = ['--url', stage.url, '--executor', 'claude-code', '--project-dir', stage.dir];
  const env = { TMPDIR: temporary, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const program = await Program.start(['runner', ...own, '--log-level', 'warn'], { env });
  runners.push(program);
  await program.printed(/is ready for/);
  return program;
}

it('the tokens in the files of a killed runner go when the next one starts', async () => {
  const temporary = path.join(stage.dir, 'tmp');
  const bin = path.join(stage.dir, 'bin');
  mkdirSync(temporary);
  mkdirSync(bin);
  const pidFile = path.join(stage.dir, 'pid');
  const stays = `#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 600\n`;
  writeFileSync(path.join(bin, 'claude'), stays, { mode: 0o755 });

  const killed = await startRunner(temporary, bin);
  must(await stage.operator.runs.create({ type: 'start_session', session_name: 's', prompt: 'x' }));
  await eventually(
    'the agent runs',
    () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'),
  );
  const [left = ''] = readdirSync(temporary);
  expect(readFileSync(path.join(temporary, left, 'mcp.json'), 'utf8')).toContain('Bearer ');
  await killed.end('SIGKILL');
  process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  expect(existsSync(path.join(temporary, left))).toBe(true);

  const next = await startRunner(temporary, bin);
  expect(existsSync(path.join(temporary, left))).toBe(false);
  expect(next.log).toContain('files of killed runners are removed');
});
