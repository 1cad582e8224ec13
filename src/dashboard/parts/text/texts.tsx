// Texts of others in a row. Each stands for itself, so that one which changes its direction cannot reorder its neighbours.
import { Fragment } from 'react';

interface NamesProps {
  readonly of: readonly string[];
  /** Between two of them. */
  readonly by?: string;
}

export function Names({ of, by = ', ' }: NamesProps) {
  return of.map((name, i) => (
    <Fragment key={i}>
      {i > 0 && by}
      <bdi>{name}</bdi>
    </Fragment>
  ));
}
