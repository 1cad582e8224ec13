// The young generation of V8's heap, for a service. Held small while it loads: what is loaded stays, so to V8 it looks
// like a reason to grow, and an idle service would keep some 20 MB that it never uses. And all that is made begins there.
import { setFlagsFromString } from 'node:v8';

const FLAG = '--semi-space-growth-factor=';

/** From here on it stays as large as it is. */
export function holdYoungHeap(): void {
  setFlagsFromString(`${FLAG}1`);
}

/** From here on it grows as the load asks for it. */
export function growYoungHeap(): void {
  setFlagsFromString(`${FLAG}2`);
}

/**
 * Nothing is made in the old generation because what was made at its place before has lived long. Under load that is so
 * of what a request holds while it waits for the disk; dead in the old generation, it keeps alive and makes old all
 * that it points to, some 2 KB of each request.
 */
export function makeAllYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
