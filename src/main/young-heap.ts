// The young generation of V8's heap, held small while a service loads. What is loaded stays, so to V8 it looks like a
// reason to grow, and an idle service would keep some 20 MB that it never uses.
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
