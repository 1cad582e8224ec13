// Finds a Chromium for the tests of the dashboard and its pictures. Installs Debian's where there is none and the
// user may do so.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { withPackages } from './debian-packages.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function onPath() {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

function chromiumPath() {
  const found = process.env['COUNTERSIGN_CHROMIUM'] ?? withPackages(onPath, ['chromium']);
  if (found !== undefined) return found;
  throw new Error(
    'No Chromium is on the PATH: install it (apt-get install chromium), or set COUNTERSIGN_CHROMIUM',
  );
}

/**
 * @param args Further arguments of the program.
 * @returns A running browser. The caller closes it.
 */
export function launch(args = []) {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
}
