// The URL of a database, which may name several servers: a primary and its standbys. Opens no connection.

/** A parsed URL. */
export interface DatabaseAddresses {
  /** One URL for each server, in the order given. */
  readonly urls: readonly string[];
  /** The URL without its user, password and parameters. */
  readonly name: string;
  /** The servers are poolers, such as PgBouncer, that give a connection for a transaction and not for a session. */
  readonly arePoolers: boolean;
  /** Where to listen for notifications, one URL for each server. Empty: nowhere. */
  readonly listenUrls: readonly string[];
}

const SHAPE = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/i;

/** Which server is wanted is always the one that accepts writes. libpq's word for it is accepted. */
const WANTED = 'target_session_attrs';

/** `transaction` where the hosts are poolers in that mode, `session` (default) otherwise. */
const POOL_MODE = 'pool_mode';

/** Behind poolers: the hosts of the servers themselves, for notifications. */
const LISTEN = 'listen';

/** @returns `null` if it is no URL of PostgreSQL, or asks for a server that accepts no writes. */
export function addressesOf(url: string): DatabaseAddresses | null {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  if (scheme === '') return null;
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get(WANTED);
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary') return null;
  const mode = parameters.get(POOL_MODE) ?? 'session';
  if (mode !== 'transaction' && mode !== 'session') return null;
  const arePoolers = mode === 'transaction';
  const listen = parameters.get(LISTEN);
  for (const own of [WANTED, POOL_MODE, LISTEN]) parameters.delete(own);
  const rest = parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  const of = (some: string) => some.split(',').map((host) => `${scheme}${user}${host}${rest}`);
  const urls = of(hosts);
  const listenUrls = listen !== null ? of(listen) : arePoolers ? [] : urls;
  if (![...urls, ...listenUrls].every((one) => URL.canParse(one))) return null;
  return { urls, name: `${scheme}${hosts}${path}`, arePoolers, listenUrls };
}
