// Finds the declaration files that a user's compiler reads, starting from one of them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** @returns The paths of the files, and the names of the packages that they import. */
export function declarationsFrom(entry) {
  const files = new Set();
  const packages = new Set();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (!fileName.startsWith('.')) {
        packages.add(fileName);
        continue;
      }
      const next = resolve(dirname(file), fileName.replace(/\.js$/, '.d.ts'));
      if (!existsSync(next)) throw new Error(`${file} imports ${fileName}, which has no declarations`);
      open.push(next);
    }
  }
  return { files: [...files], packages: [...packages] };
}
