// The frame of every view: navigation, the state of the connection, and the prompt for a token.
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useApi, useLink, type SignedOutBecause } from '../api/use-api.js';
import { Confirmations } from './actions/confirmation.js';
import { Loading } from './basics.js';
import { Heading } from './heading.js';

const LINK = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Reconnecting',
  closed: 'Signed out',
  unfollowed: 'Not live',
} as const;

const REFUSALS: Readonly<Record<SignedOutBecause, string>> = {
  refused: 'The service did not accept that token.',
  ended: 'The service does not accept the token of this tab any more: it was revoked, or its time is over.',
};

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
  const { token, signedOutBecause, signOut } = useApi();
  const known = useLink();
  // Without a token again, the service need not be asked to know.
  const link = signedOutBecause === null ? known : 'closed';
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
          {LINK[link]}
        </span>
        {token !== null && (
          <button type="button" className="quiet" onClick={signOut}>
            Sign out
          </button>
        )}
      </header>
      <main id="view" tabIndex={-1}>
        {link === 'closed' ? (
          <SignIn />
        ) : (
          <Confirmations>
            <Suspense fallback={<Loading what="the view" />}>
              <Outlet />
            </Suspense>
          </Confirmations>
        )}
      </main>
    </>
  );
}

function SignIn() {
  const { signedOutBecause, signIn } = useApi();
  const [token, setToken] = useState('');
  return (
    <form
      className="panel signin"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== '') signIn(token.trim());
      }}
    >
      <Heading name="This service asks for a token" />
      <p>
        Make one with <code>countersign token create</code>. It stays in this tab until you close it.
      </p>
      {signedOutBecause !== null && (
        <p className="notice failed" role="alert">
          {REFUSALS[signedOutBecause]}
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
