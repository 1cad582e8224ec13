// In the place of a version that cannot be read: what can be shown instead.
import { oldestIn } from '../../../api/history-queries.js';
import { Failed } from '../../../parts/basics.js';

interface NoVersionProps {
  readonly error: unknown;
  readonly retry: () => void;
  /** Shows another version in its place. */
  readonly show: (version: number) => void;
  /** What the view is without that version. */
  readonly without: string;
  readonly leave: () => void;
}

export function NoVersion({ error, retry, show, without, leave }: NoVersionProps) {
  const oldest = oldestIn(error);
  return (
    <Failed error={error} {...(oldest === null ? { retry } : {})}>
      {oldest !== null && (
        <button type="button" onClick={() => show(oldest)}>
          Version {oldest}
        </button>
      )}
      <button type="button" onClick={leave}>
        {without}
      </button>
    </Failed>
  );
}
