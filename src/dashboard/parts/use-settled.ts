// A value that changes often, once it rests.
import { useEffect, useState } from 'react';

/** @param restMs - For so long the value has to stay as it is. */
export function useSettled<T>(value: T, restMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return settled;
}
