import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentFolder } from '../../src/main/runner/agent-folder.js';

const BYTES_MAX = 1000;

describe('a folder of agents with more than files in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-folder-'));
  const socket = createServer();
  const at = (name: string) => join(folder, name);
  const { files } = agentFolder(folder, BYTES_MAX);

  beforeAll(async () => {
    writeFileSync(at('plain.json'), '{"executor": "command"}');
    symlinkSync(at('plain.json'), at('linked.json'));
    execFileSync('mkfifo', [at('fifo.json')]);
    symlinkSync(at('fifo.json'), at('to-fifo.json'));
    symlinkSync('/dev/zero', at('device.json'));
    symlinkSync(at('loop.json'), at('loop.json'));
    mkdirSync(at('folder.json'));
    writeFileSync(at('large.json'), ' '.repeat(BYTES_MAX + 1));
    await new Promise<void>((resolve) => socket.listen(at('socket.json'), resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => socket.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads files, also through links', async () => {
    expect(await files.read('plain')).toBe('{"executor": "command"}');
    expect(await files.read('linked')).toBe('{"executor": "command"}');
    expect(await files.read('nobody')).toBeNull();
  });

  it.each([
    ['fifo', 'is a FIFO, not a regular file'],
    ['to-fifo', 'is a FIFO, not a regular file'],
    ['device', 'is a device, not a regular file'],
    ['folder', 'is a directory, not a regular file'],
    ['socket', 'is a socket, not a regular file'],
    ['loop', 'cannot be read (ELOOP)'],
    ['large', `has ${String(BYTES_MAX + 1)} bytes; at most ${String(BYTES_MAX)} are allowed`],
  ])('says of %s that it %s, and reads nothing', async (name, message) => {
    await expect(files.read(name)).rejects.toThrow(message);
  });
});
