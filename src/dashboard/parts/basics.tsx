// Small parts that every view uses: notices, status labels, times, copying.
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { ConnectionError, CountersignError } from '../../client/index.js';
import { copyText } from './copy-text.js';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="notice" role="status">
      Loading {what}…
    </p>
  );
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="notice empty">{children}</div>;
}

/** For what is missing, and for remarks. */
export function Faint({ children }: { readonly children: ReactNode }) {
  return <span className="faint">{children}</span>;
}

interface FailedProps {
  readonly error: unknown;
  readonly retry?: () => void;
  /** Further ways out. */
  readonly children?: ReactNode;
}

/** Says what failed and what to do about it. */
export function Failed({ error, retry, children }: FailedProps) {
  const [title, detail] = errorText(error);
  return (
    <div className="notice failed" role="alert">
      <strong>{title}</strong>
      <span>{detail}</span>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
      {children}
    </div>
  );
}

export interface UnreadProps {
  readonly read: Pick<UseQueryResult, 'isError' | 'error' | 'refetch'>;
  /** What is asked for. */
  readonly what: string;
}

/** In the place of what a query has not read: it is still loading, or it has failed. */
export function Unread({ read, what }: UnreadProps) {
  return read.isError ? (
    <Failed error={read.error} retry={() => void read.refetch()} />
  ) : (
    <Loading what={what} />
  );
}

function errorText(error: unknown): readonly [string, string] {
  if (error instanceof CountersignError) return [error.code.replaceAll('_', ' '), error.detail];
  if (error instanceof ConnectionError)
    return [
      'The service does not answer',
      'See whether countersign serve is running; this page goes on by itself.',
    ];
  return ['Something failed', error instanceof Error ? error.message : String(error)];
}

/** The statuses of each tone. */
const STATUSES_BY_TONE = {
  wait: 'pending queued held checking needs_revision conditional',
  busy: 'open sending claimed running stopping',
  good: 'connected enabled completed finished delivered recorded acknowledged satisfied clear',
  bad: 'failed dead timed_out no_write contract_failed agent_failed environment configuration prompt_too_long broken reject blocked silent',
};

const TONES: ReadonlyMap<string, string> = new Map(
  Object.entries(STATUSES_BY_TONE).flatMap(([tone, statuses]) =>
    statuses.split(' ').map((status) => [status, tone] as const),
  ),
);

export function Status({ value, label }: { readonly value: string; readonly label?: string }) {
  return <span className={`status ${TONES.get(value) ?? 'off'}`}>{label ?? value.replaceAll('_', ' ')}</span>;
}

/** The present, again every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A length of time in words. */
export function span(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${String(hours)} h ${String(minutes % 60)} min`
    : `${String(Math.floor(hours / 24))} days`;
}

export function Ago({ at }: { readonly at: string }) {
  const now = useNow();
  const ms = now - Date.parse(at);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ms < 5000 ? 'just now' : `${span(ms)} ago`}
    </time>
  );
}

/** How long something took, or has taken until now. */
export function Took({ from, to }: { readonly from: string; readonly to: string | null }) {
  const now = useNow();
  const ms = (to === null ? now : Date.parse(to)) - Date.parse(from);
  return <span className="countdown">{ms < 1000 ? 'under 1 s' : span(ms)}</span>;
}

export function Countdown({ to }: { readonly to: string | null | undefined }) {
  const now = useNow();
  if (to === null || to === undefined) return <span className="faint">no time limit</span>;
  const leftMs = Date.parse(to) - now;
  return (
    <time className="countdown" dateTime={to} title={new Date(to).toLocaleString()}>
      {leftMs > 0 ? `in ${span(leftMs)}` : 'now'}
    </time>
  );
}

interface CopyProps {
  /** A function where the text may be large: it is called at the click. */
  readonly text: string | (() => string);
  readonly children: ReactNode;
}

export function Copy({ text, children }: CopyProps) {
  const [done, setDone] = useState<boolean | null>(null);
  const copy = () => {
    copyText(typeof text === 'string' ? text : text()).then(
      () => setDone(true),
      () => setDone(false),
    );
    setTimeout(() => setDone(null), 1500);
  };
  return (
    <button
      type="button"
      className="quiet"
      title={typeof text === 'string' ? text : undefined}
      onClick={copy}
    >
      {done === null ? children : done ? 'Copied' : 'Not allowed'}
    </button>
  );
}

export function Panel({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** A column of a table: its heading, and its cell in a row. The text of prose may take several lines. */
export type Column<T> = readonly [name: string, cell: (row: T) => ReactNode, kind?: 'prose'];

export interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  /** Whether a row has just changed; none by default. */
  readonly isLit?: ((row: T) => boolean) | undefined;
}

/** A table that scrolls by itself where the screen is narrow. */
export function Table<T>({ label, columns, rows, keyOf, isLit }: TableProps<T>) {
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} className={isLit?.(row) === true ? 'lit' : undefined}>
              {columns.map(([name, cell, kind]) => (
                <td key={name} className={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
