import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPrivateFolder, removeLeftFolders } from '../../../src/runner/agent/private-files.js';
import { markOf, type ProcessMark } from '../../../src/runner/process/process-mark.js';

const NOW = Date.now();
const WEEK_MS = 7 * 24 * 60 * 60_000;
const before = process.env['TMPDIR'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-left-'));
  process.env['TMPDIR'] = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
});

/** A process that runs until it is killed. */
function living() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  return {
    mark: markOf(child.pid!)!,
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const own = () => markOf(process.pid)!;

async function folderOf(mark: ProcessMark): Promise<string> {
  const opened = await openPrivateFolder(mark);
  await opened.write({ 'mcp.json': { token: 'secret' } });
  return opened.path;
}

it('a folder is removed when its process was killed, and not before', async () => {
  const { mark, kill } = living();
  const left = await folderOf(mark);
  expect(await removeLeftFolders(NOW)).toBe(0);
  expect(existsSync(left)).toBe(true);
  await kill();
  expect(await removeLeftFolders(NOW)).toBe(1);
  expect(existsSync(left)).toBe(false);
});

it('the folders of this process stay until they are removed by name', async () => {
  const opened = await openPrivateFolder();
  expect(statSync(opened.path).mode & 0o777).toBe(0o700);
  expect(await removeLeftFolders(NOW)).toBe(0);
  await opened.remove();
  expect(existsSync(opened.path)).toBe(false);
});

it('a process that has got the id of a dead one is not taken for it', async () => {
  const left = await folderOf({ ...own(), start: '1' });
  expect(await removeLeftFolders(NOW)).toBe(1);
  expect(existsSync(left)).toBe(false);
});

it('whoever ran before the machine was started again runs no more', async () => {
  const left = await folderOf({ ...own(), boot: 'abcdef01' });
  expect(await removeLeftFolders(NOW)).toBe(1);
  expect(existsSync(left)).toBe(false);
});

it('where ids count elsewhere, a folder stays for as long as a run may last', async () => {
  const strange = await folderOf({ ...own(), space: '123' });
  expect(await removeLeftFolders(NOW)).toBe(0);
  utimesSync(strange, NOW / 1000, (NOW - WEEK_MS) / 1000 - 1);
  expect(await removeLeftFolders(NOW)).toBe(1);
});

it('what is open to others, a link, or has another name is left as it is', async () => {
  const dead = { ...own(), start: '1' };
  const open = await folderOf(dead);
  chmodSync(open, 0o755);
  const target = path.join(folder, 'elsewhere');
  mkdirSync(target, { mode: 0o700 });
  const link = path.join(folder, path.basename(open).replace(/.{6}$/, 'AAAAAA'));
  symlinkSync(target, link);
  const named = path.join(folder, 'countersign-run-mine');
  renameSync(await folderOf(dead), named);
  expect(await removeLeftFolders(NOW)).toBe(0);
  expect([open, target, named].every((one) => existsSync(one))).toBe(true);
});
