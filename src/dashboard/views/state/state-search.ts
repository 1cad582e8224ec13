// What the address of a state's view says.
import type { Pointer } from './document.js';

/** The part of the address after the `?`. */
export interface StateSearch {
  /** The version to show; the present one by default. */
  readonly at?: number | undefined;
  /** The version to compare with. */
  readonly from?: number | undefined;
  readonly find?: string | undefined;
  /** The top-level member whose history is shown; that of all by default. */
  readonly key?: string | undefined;
  /** The selected location of the document; the whole by default. */
  readonly place?: Pointer | undefined;
}
