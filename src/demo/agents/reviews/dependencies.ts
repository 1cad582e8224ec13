// The dependencies that a repository's manifests name, and their licences.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json/json.js';
import { objectMember } from '../../../domain/json/members.js';
import { git } from '../../git.js';
import type { Reviewed } from './reviewed.js';

interface Dependency extends JsonObject {
  readonly name: string;
  readonly version: string;
  readonly kind: 'runtime' | 'development';
  readonly licence: string;
}

const MANIFESTS_MAX = 20;
const DEPENDENCIES_MAX = 200;
const BYTES_MAX = 8 * 1024 * 1024;
const UNKNOWN = 'unknown';
/** A name that npm accepts. Nothing else becomes part of a path. */
const NPM_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]*$/;
/** Lines of the manifests that are no JSON: name and version. */
const LINES: Readonly<Record<string, RegExp>> = {
  'requirements.txt': /^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*([^#;]*)/,
  'go.mod': /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+(v\S+)(?!.*indirect)/,
};

export async function reviewDependencies(folder: string): Promise<Reviewed> {
  const patterns = ['package.json', ...Object.keys(LINES)].map((name) => `:(glob)**/${name}`);
  const listed = (await git(folder, ['ls-files', '-z', '--', ...patterns])).split('\0');
  const paths = listed.filter((name) => name !== '' && !name.includes('node_modules/'));
  // Prefers the manifest at the root: nested ones are often fixtures.
  paths.sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b));
  const manifests = paths.slice(0, MANIFESTS_MAX);
  const read = await Promise.all(manifests.map((manifest) => dependenciesOf(folder, manifest)));
  const dependencies = read.flat().slice(0, DEPENDENCIES_MAX);
  const known = dependencies.filter(({ licence }) => licence !== UNKNOWN);
  const counts = new Map<string, number>();
  for (const { licence } of known) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const unknown = dependencies.length - known.length;
  return {
    prose: `I found ${String(read.flat().length)} dependencies; ${String(unknown)} have no known licence.`,
    data: {
      manifests,
      dependencies,
      licences: Object.fromEntries([...counts].sort(([, a], [, b]) => b - a)),
      unknown,
      complete: manifests.length === paths.length && dependencies.length === read.flat().length,
    },
  };
}

async function dependenciesOf(folder: string, manifest: string): Promise<Dependency[]> {
  const pattern = LINES[path.posix.basename(manifest)];
  if (pattern === undefined) return npmDependencies(folder, manifest);
  const lines = (await readText(path.join(folder, manifest))).split('\n');
  return lines.flatMap((line) => {
    const [, name, version = ''] = pattern.exec(line) ?? [];
    return name === undefined
      ? []
      : [{ name, version: version.trim(), kind: 'runtime', licence: UNKNOWN, manifest }];
  });
}

async function npmDependencies(folder: string, manifest: string): Promise<Dependency[]> {
  const at = path.join(folder, path.posix.dirname(manifest));
  const content = await readJson(path.join(folder, manifest));
  const locked = objectMember(await readJson(path.join(at, 'package-lock.json')), 'packages');
  const named = [
    ...Object.entries(objectMember(content, 'dependencies')).map((one) => [...one, 'runtime'] as const),
    ...Object.entries(objectMember(content, 'devDependencies')).map(
      (one) => [...one, 'development'] as const,
    ),
  ].filter(([name]) => NPM_NAME.test(name));
  return Promise.all(
    named.map(async ([name, range, kind]) => ({
      name,
      version: typeof range === 'string' ? range : '',
      kind,
      licence:
        licenceOf(objectMember(locked, `node_modules/${name}`)) ??
        licenceOf(await readJson(path.join(at, 'node_modules', name, 'package.json'))) ??
        UNKNOWN,
      manifest,
    })),
  );
}

function licenceOf({ license }: JsonObject): string | null {
  const named = isJsonObject(license) ? license['type'] : license;
  return typeof named === 'string' && named !== '' ? named.slice(0, 100) : null;
}

/** @returns An empty object for what is no JSON object. */
async function readJson(file: string): Promise<JsonObject> {
  try {
    const value = JSON.parse(await readText(file)) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** @returns An empty text for what is not there, or too large. */
async function readText(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size > BYTES_MAX) return '';
  return readFile(file, 'utf8').catch(() => '');
}
