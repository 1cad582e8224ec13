// The built dashboard as answers: its page and its assets. They are public; the API that they call is not.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAccept } from 'hono/utils/accept';
import { ok } from '../../domain/errors.js';
import type { RequestContext } from '../requests/request-context.js';
import type { Reply } from '../replies/reply.js';
import type { Bound } from '../route.js';

interface DashboardPage {
  /** In the form of the router. */
  readonly path: string;
  readonly bound: Bound;
}

/** Scripts and styles come from the service alone, and none stands in the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Content encodings, and the endings of the files that the build writes in them. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The name of an asset holds the hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The page that answers every `GET`. Those of views answer a browser alone. */
const HOME = '/';

const hasIndex = (folder: string) => existsSync(join(folder, 'index.html'));

/** The paths that answer every `GET`; none if there is no build. */
export function homeOf(folder: string | undefined): readonly string[] {
  return folder !== undefined && hasIndex(folder) ? [HOME] : [];
}

/**
 * @param folder - The built files; read once, here.
 * @param otherwise - Answers requests for what is not there.
 * @returns The page at `/` and at the paths of views below `/ui`, and the assets. Nothing if there is no build.
 */
export function dashboardPages(folder: string | undefined, otherwise: Bound): readonly DashboardPage[] {
  if (folder === undefined || !hasIndex(folder)) return [];
  const index = replyOf(readFileSync(join(folder, 'index.html'), 'utf8'), 'text/html; charset=utf-8', {
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  });
  const assets = assetsIn(join(folder, 'assets'));
  const view: Bound = (context) => (takesHtml(context) ? ok(index) : otherwise(context));
  const asset: Bound = (context) => {
    const found = assets.get(context.path);
    return found === undefined ? otherwise(context) : ok(encodedFor(context, found));
  };
  return [
    { path: HOME, bound: () => ok(index) },
    { path: '/ui/*', bound: view },
    { path: '/assets/:name', bound: asset },
  ];
}

/** An asset in each content encoding that the build has made, the smallest first. */
interface Asset {
  readonly plain: Reply;
  readonly encoded: ReadonlyMap<string, Reply>;
}

function assetsIn(folder: string): ReadonlyMap<string, Asset> {
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) return [];
      return [[`/assets/${name}`, assetOf(join(folder, name), type)] as const];
    }),
  );
}

function assetOf(path: string, type: string): Asset {
  const headers = { 'cache-control': FOR_EVER, vary: 'Origin, Accept-Encoding' };
  const plain = replyOf(readFileSync(path, 'utf8'), type, headers);
  const encoded = ENCODINGS.flatMap(([encoding, ending]) => {
    const file = path + ending;
    if (!existsSync(file)) return [];
    const named = { ...plain.headers, 'content-encoding': encoding };
    return [[encoding, { ...plain, encoded: readFileSync(file), headers: named }] as const];
  });
  return { plain, encoded: new Map(encoded) };
}

/** The smallest form that the client accepts. `*` names none, so it gets the plain one. */
function encodedFor(context: RequestContext, { plain, encoded }: Asset): Reply {
  const accepted = parseAccept(context.header('accept-encoding') ?? '');
  for (const [encoding, reply] of encoded) {
    if (accepted.some(({ type, q }) => type.toLowerCase() === encoding && q > 0)) return reply;
  }
  return plain;
}

function replyOf(text: string, type: string, headers: Reply['headers']): Reply {
  const all = { 'content-type': type, 'x-content-type-options': 'nosniff', ...headers };
  return { status: 200, text, bytes: Buffer.byteLength(text), headers: all };
}

/** True for the navigation of a browser; a program that asks for JSON gets a problem. */
function takesHtml(context: RequestContext): boolean {
  return (context.header('accept') ?? '').toLowerCase().includes('text/html');
}
