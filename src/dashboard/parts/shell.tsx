// The frame of every view: navigation, the state of the connection, and the prompt for a token.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { CountersignError } from '../../client/index.js';
import { overview } from '../api/queries.js';
import { useApi, useClient, useLink } from '../api/use-api.js';
import { Loading } from './basics.js';

const LINK = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Reconnecting',
} as const;

const VIEWS = [
  ['/ui/states', 'States'],
  ['/ui/completions', 'Completions'],
  ['/ui/runs', 'Runs'],
  ['/ui/callbacks', 'Callbacks'],
  ['/ui/runners', 'Runners'],
  ['/ui/webhooks', 'Webhooks'],
  ['/ui/schemas', 'Schemas'],
] as const;

export function Shell() {
  const { token, signOut } = useApi();
  const link = useLink();
  const probe = useQuery(overview(useClient()));
  const closed = probe.error instanceof CountersignError && probe.error.code === 'unauthorized';
  return (
    <>
      <a className="skip" href="#view">
        Skip to the view
      </a>
      <header className="top">
        <Link to="/" className="brand">
          <span className="mark" aria-hidden="true">
            ✓
          </span>
          Countersign
        </Link>
        <nav aria-label="Views">
          <Link to="/" activeOptions={{ exact: true }}>
            Overview
          </Link>
          {VIEWS.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
              {name}
            </Link>
          ))}
          <a href="/docs">API</a>
        </nav>
        <span className={`link ${link}`} role="status">
          {closed ? 'Signed out' : LINK[link]}
        </span>
        {token !== null && (
          <button type="button" className="quiet" onClick={signOut}>
            Sign out
          </button>
        )}
      </header>
      <main id="view" tabIndex={-1}>
        {closed ? (
          <SignIn refused={token !== null} />
        ) : (
          <Suspense fallback={<Loading what="the view" />}>
            <Outlet />
          </Suspense>
        )}
      </main>
    </>
  );
}

function SignIn({ refused }: { readonly refused: boolean }) {
  const { signIn } = useApi();
  const [token, setToken] = useState('');
  return (
    <form
      className="panel signin"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== '') signIn(token.trim());
      }}
    >
      <h1>This service asks for a token</h1>
      <p>
        Make one with <code>countersign token create</code>. It stays in this tab until you close it.
      </p>
      {refused && (
        <p className="notice failed" role="alert">
          The service did not accept that token.
        </p>
      )}
      <label>
        Token
        <input
          type="password"
          autoComplete="off"
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
      </label>
      <button type="submit" className="strong">
        Sign in
      </button>
    </form>
  );
}
