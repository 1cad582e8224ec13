// The names of the sessions of one tree, so that what a session did can be shown with its name.
import { createContext, useContext, type ReactNode } from 'react';
import { SessionLink } from './links.js';

interface Names {
  /** The root session of the tree. */
  readonly root: string;
  readonly byId: ReadonlyMap<string, string>;
}

const Context = createContext<Names | null>(null);

export function NamesProvider({ of, children }: { readonly of: Names; readonly children: ReactNode }) {
  return <Context value={of}>{children}</Context>;
}

/** Who wrote something: a session of the tree, or else a token or the operator. */
export function Writer({
  session,
  token = null,
}: {
  readonly session: string | null;
  readonly token?: string | null | undefined;
}) {
  const names = useContext(Context);
  if (session === null) return <bdi>{token ?? 'operator'}</bdi>;
  if (names === null) return <bdi>{session}</bdi>;
  return <SessionLink root={names.root} session={session} name={names.byId.get(session) ?? session} />;
}
