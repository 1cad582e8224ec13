// Lets the processes of runs call `countersign`, however this program itself was started.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Puts the folder with the command first in the path of this process, and so of its children. */
export function offerCommand(): void {
  const folder = fileURLToPath(new URL('../bin', import.meta.url));
  const before = process.env['PATH'] ?? '';
  if (existsSync(folder) && !before.split(path.delimiter).includes(folder)) {
    process.env['PATH'] = `${folder}${path.delimiter}${before}`;
  }
}
