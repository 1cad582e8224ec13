// Validates the URL of a webhook or callback before any name is resolved.
import { isIP } from 'node:net';
import { ok, fail, type Result } from '../../domain/errors.js';
import { hostOf, type AddressPolicy } from './address-policy.js';

interface Target {
  readonly url: string;
  readonly origin: string;
}

/** @returns The normalized URL; or `webhook_url_refused` with the member that contains it. */
export function targetOf(text: string, pointer: string, policy: AddressPolicy): Result<Target> {
  const no = (message: string, expected: string) =>
    fail('webhook_url_refused', `${pointer}: ${message}`, {
      errors: [{ pointer, keyword: 'url', message, expected }],
    });
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return no('this is no URL', 'an https:// URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return no(`${url.protocol} cannot be called`, 'an https:// URL');
  }
  if (url.username !== '' || url.password !== '') {
    return no('credentials do not belong into a URL', 'a URL without them; messages are signed');
  }
  url.hash = '';
  const plain = url.protocol === 'http:';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !policy.allows(host, plain)) {
    return no(
      plain && policy.allows(host, false)
        ? 'a public address is only called over TLS'
        : `${host} is not a public address, and not one that the service may call`,
      'a public address, or one that serve was started with (--webhook-allow)',
    );
  }
  if (plain && !policy.allowsMore) {
    return no('only https:// is called', 'an https:// URL');
  }
  return ok({ url: url.href, origin: url.origin });
}
