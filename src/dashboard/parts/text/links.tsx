// Links to what the views show of one thing.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Properties of a link that changes a part of the view: it is not marked as active, and nothing scrolls. */
export const IN_PLACE = {
  activeProps: {},
  activeOptions: { exact: true },
  replace: true,
  resetScroll: false,
} as const;

interface SessionLinkProps {
  /** The root of the tree; the session itself where the root is not known. */
  readonly root?: string;
  readonly session: string;
  readonly name?: string;
}

export function SessionLink({ session, root = session, name = session }: SessionLinkProps) {
  return (
    <Link to="/ui/trees/$id" params={{ id: root }} search={{ session }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

interface StateLinkProps {
  readonly id: string;
  /** The version to show; the present one by default. */
  readonly at?: number | undefined;
  readonly children: ReactNode;
}

export function StateLink({ id, at, children }: StateLinkProps) {
  return (
    <Link to="/ui/states/$id" params={{ id }} search={{ at }}>
      {children}
    </Link>
  );
}

export function RunLink({ id }: { readonly id: string }) {
  return (
    <Link to="/ui/runs/$id" params={{ id }}>
      <code className="id">{id}</code>
    </Link>
  );
}

export function CompletionLink({ session, name }: { readonly session: string; readonly name: string }) {
  return (
    <Link to="/ui/completions/$session" params={{ session }}>
      <bdi>{name}</bdi>
    </Link>
  );
}
