// The locations that a write changed.
import type { EventView } from '../../../client/index.js';

const PLACES_MAX = 4;

export function ChangedLocations({ of: { patch } }: { readonly of: EventView }) {
  return (
    <div className="places">
      {patch.slice(0, PLACES_MAX).map(({ op, path }, i) => (
        <code key={i}>
          {op} {path === '' ? '(all)' : path}
        </code>
      ))}
      {patch.length > PLACES_MAX && <span className="faint">and {patch.length - PLACES_MAX} more</span>}
    </div>
  );
}
