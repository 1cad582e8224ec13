// The URL of a database, which may name several servers: a primary and its standbys. Opens no connection.

/** A parsed URL. */
export interface DatabaseAddresses {
  /** One URL for each server, in the order given. */
  readonly urls: readonly string[];
  /** The URL without its user, password and parameters. */
  readonly name: string;
}

const SHAPE = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/i;

/** Which server is wanted is always the one that accepts writes. libpq's word for it is accepted. */
const WANTED = 'target_session_attrs';

/** @returns `null` if it is no URL of PostgreSQL, or asks for a server that accepts no writes. */
export function addressesOf(url: string): DatabaseAddresses | null {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  if (scheme === '') return null;
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get(WANTED);
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary') return null;
  parameters.delete(WANTED);
  const rest = parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`);
  if (!urls.every((one) => URL.canParse(one))) return null;
  return { urls, name: `${scheme}${hosts}${path}` };
}
