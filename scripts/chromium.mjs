// Finds a Chromium for the tests of the dashboard and its pictures. Installs Debian's where there is none and the
// user may do so.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function onPath() {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

function chromiumPath() {
  const found = process.env['COUNTERSIGN_CHROMIUM'] ?? onPath();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0) {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']])
      spawnSync('apt-get', args, {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
  }
  const installed = onPath();
  if (installed !== undefined) return installed;
  throw new Error(
    'No Chromium is on the PATH: install it (apt-get install chromium), or set COUNTERSIGN_CHROMIUM',
  );
}

/** @returns A running browser. The caller closes it. */
export function launch() {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
}
