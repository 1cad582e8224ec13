// Blocks of text and values that views of one thing share.
import { Fragment, useState, type ReactNode } from 'react';

/** Names with their values. Where there is no value, the name is left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="details">
      {Object.entries(of)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

interface TextProps {
  readonly label: string;
  /** For what a view is about. */
  readonly tall?: boolean;
  readonly children: string;
}

/** Text of others, as it is: longer text scrolls. */
export function Text({ label, tall = false, children }: TextProps) {
  return (
    <pre className={tall ? 'text tall' : 'text'} dir="auto" role="region" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  );
}

interface JsonProps extends Omit<TextProps, 'children'> {
  readonly value: unknown;
}

export function Json({ value, ...shown }: JsonProps) {
  return <Text {...shown}>{JSON.stringify(value, null, 2)}</Text>;
}

/** What is in the page only once it is opened. */
export function Reveal({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {open && children}
    </details>
  );
}
