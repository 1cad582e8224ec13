// Collects garbage: what is only held weakly is gone afterwards.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pause } from './eventually.js';

const ROUNDS = 3;

export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Finalizers run between two collections.
  for (let round = 0; round < ROUNDS; round += 1) {
    collect();
    await pause(5);
  }
}
