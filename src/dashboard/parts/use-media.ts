// Whether the screen is as a media query says, also when it changes.
import { useCallback, useSyncExternalStore } from 'react';

/** The same as in the style sheet. */
export const NARROW = '(max-width: 40rem)';

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
