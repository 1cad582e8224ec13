// Sizes the young generation of V8's heap for a service. It is kept small during loading: the loaded code
// survives, so V8 would grow the young generation, and an idle service would keep some 20 MB that it never uses.
// Also makes all objects begin in the young generation.
import { setFlagsFromString } from 'node:v8';

const FLAG = '--semi-space-growth-factor=';

/** From now on the young generation does not grow. */
export function holdYoungHeap(): void {
  setFlagsFromString(`${FLAG}1`);
}

/** From now on the young generation grows with the load. */
export function growYoungHeap(): void {
  setFlagsFromString(`${FLAG}2`);
}

/**
 * Disables pretenuring: V8 allocates objects in the old generation if earlier objects of the same allocation site
 * lived long. Under load that includes what a request holds while it waits for the disk. Such an object, dead in
 * the old generation, keeps everything it references alive, some 2 KB per request, and that is promoted too.
 */
export function makeAllYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
