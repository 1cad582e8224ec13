// Checks whether a process can work in a directory.
import { stat } from 'node:fs/promises';

/** Without this check, a missing directory would be reported as a missing shell. */
export async function whyUnusable(directory: string): Promise<string | null> {
  try {
    return (await stat(directory)).isDirectory() ? null : `${directory} is not a directory`;
  } catch {
    return `there is no directory ${directory}`;
  }
}
