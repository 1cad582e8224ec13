// The heading of a view. It is also the title of the page, for tabs, the history of the browser and screen readers.
import { useEffect } from 'react';

interface HeadingProps {
  readonly name: string;
  /** What bears that name. */
  readonly kind?: string;
}

const PROGRAM = 'Countersign';

export function Heading({ name, kind }: HeadingProps) {
  const title = kind === undefined ? name : `${name}, ${kind}`;
  useEffect(() => {
    document.title = `${title} – ${PROGRAM}`;
    return () => {
      document.title = PROGRAM;
    };
  }, [title]);
  return (
    <h1>
      <bdi>{name}</bdi> {kind !== undefined && <span className="faint">{kind}</span>}
    </h1>
  );
}
