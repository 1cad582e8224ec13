// Why a process could not work in a directory.
import { stat } from 'node:fs/promises';

/** A missing directory would otherwise be told as a missing shell. */
export async function obstacleAt(directory: string): Promise<string | null> {
  try {
    return (await stat(directory)).isDirectory() ? null : `${directory} is not a directory`;
  } catch {
    return `there is no directory ${directory}`;
  }
}
