// The manifests in which a repository names its dependencies, and what they say.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json/json.js';

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly kind: 'runtime' | 'development';
  /** `null` where it is not known. */
  readonly licence: string | null;
  readonly manifest: string;
}

type Reader = (folder: string, manifest: string) => Promise<Dependency[]>;

const READERS: Readonly<Record<string, Reader>> = {
  'package.json': readNpm,
  'requirements.txt': readRequirements,
  'go.mod': readGo,
};
const BYTES_MAX = 8 * 1024 * 1024;
/** What npm takes for a name; nothing else becomes part of a path. */
const NPM_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]*$/;

/** File names that are read. */
export const MANIFESTS = Object.keys(READERS);

export async function dependenciesOf(folder: string, manifest: string): Promise<Dependency[]> {
  return (await READERS[path.posix.basename(manifest)]?.(folder, manifest)) ?? [];
}

async function readNpm(folder: string, manifest: string): Promise<Dependency[]> {
  const at = path.join(folder, path.posix.dirname(manifest));
  const content = await readJson(path.join(folder, manifest));
  const locked = objectAt(await readJson(path.join(at, 'package-lock.json')), 'packages');
  const named = [
    ...Object.entries(objectAt(content, 'dependencies')).map(
      ([name, range]) => ({ name, range, kind: 'runtime' }) as const,
    ),
    ...Object.entries(objectAt(content, 'devDependencies')).map(
      ([name, range]) => ({ name, range, kind: 'development' }) as const,
    ),
  ].filter(({ name }) => NPM_NAME.test(name));
  return Promise.all(
    named.map(async ({ name, range, kind }) => ({
      name,
      version: typeof range === 'string' ? range : '',
      kind,
      licence:
        licenceOf(objectAt(locked, `node_modules/${name}`)) ??
        licenceOf(await readJson(path.join(at, 'node_modules', name, 'package.json'))),
      manifest,
    })),
  );
}

function licenceOf(content: JsonObject): string | null {
  const { license } = content;
  const named = isJsonObject(license) ? license['type'] : license;
  return typeof named === 'string' && named !== '' ? named.slice(0, 100) : null;
}

async function readRequirements(folder: string, manifest: string): Promise<Dependency[]> {
  const lines = (await readText(path.join(folder, manifest))).split('\n');
  return lines.flatMap((line) => {
    const [, name, version] = /^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*([^#;]*)/.exec(line) ?? [];
    if (name === undefined) return [];
    return { name, version: (version ?? '').trim(), kind: 'runtime', licence: null, manifest };
  });
}

async function readGo(folder: string, manifest: string): Promise<Dependency[]> {
  const lines = (await readText(path.join(folder, manifest))).split('\n');
  return lines.flatMap((line) => {
    const [, name, version] =
      /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+(v\S+)(?!.*indirect)/.exec(line) ?? [];
    if (name === undefined || version === undefined) return [];
    return { name, version, kind: 'runtime', licence: null, manifest };
  });
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
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
