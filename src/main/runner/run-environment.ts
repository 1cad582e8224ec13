// Makes `countersign` callable for the processes of runs, however this program was started.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Prepends the folder of the command to PATH of this process, which its children inherit. */
export function offerCommand(): void {
  const folder = fileURLToPath(new URL('../../../dist/bin', import.meta.url));
  const before = process.env['PATH'] ?? '';
  if (existsSync(folder) && !before.split(path.delimiter).includes(folder)) {
    process.env['PATH'] = `${folder}${path.delimiter}${before}`;
  }
}
