// Moving through the versions of a state: the slider follows at once, the document and the address as fast as they can.
import { useEffect, useRef, useState } from 'react';

/** A document is asked for when the slider rests for so long: each may have a megabyte. */
const DOCUMENT_MS = 60;
/** Browsers refuse hundreds of changes of the address in a short time. */
const ADDRESS_MS = 300;

interface Scrub {
  /** Where the slider is. */
  readonly at: number | undefined;
  /** The version whose document is asked for. */
  readonly shown: number | undefined;
  readonly move: (version: number) => void;
  /** Forgets a move that has not come to rest. */
  readonly cancel: () => void;
}

/**
 * @param given - The version in the address.
 * @param present - The version that an address without one has.
 * @param commit - Puts a version into the address.
 */
export function useScrub(
  given: number | undefined,
  present: number | undefined,
  commit: (version: number) => void,
): Scrub {
  const [moved, setMoved] = useState<number | null>(null);
  // Of now: an effect may run after the click that has cancelled the move.
  const latest = useRef<number | null>(null);
  const committed = useRef<number | null>(null);
  const move = (version: number | null) => {
    latest.current = version;
    setMoved(version);
  };
  const rested = useSettled(moved, DOCUMENT_MS);
  const settled = useSettled(moved, ADDRESS_MS);
  useEffect(() => {
    if (settled === null || settled !== latest.current) return;
    if (settled === (given ?? present)) {
      move(null);
      return;
    }
    committed.current = settled;
    commit(settled);
    // Only when the slider has come to rest.
  }, [settled]);
  useEffect(() => {
    // The address has the version now, unless the slider has moved on.
    if (latest.current === committed.current) move(null);
  }, [given]);
  return {
    at: moved ?? given,
    shown: moved === null ? given : (rested ?? given),
    move,
    cancel: () => move(null),
  };
}

/**
 * A value that changes often, once it rests.
 *
 * @param restMs - For so long the value has to stay as it is.
 */
function useSettled<T>(value: T, restMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return settled;
}
