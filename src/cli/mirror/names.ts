// Folder names for trees: safe on every file system, whatever a root session is called. Pure.
import { hashOf } from '../files/state-folder.js';

const CHARACTERS_MAX = 80;
const HASH_CHARACTERS = 8;
const STRANGE = /[^A-Za-z0-9._@-]/g;
/** Names of devices on Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|conin|conout|clock|com\d|lpt\d)(\.|$)/i;

/**
 * The name itself if it is safe: ASCII, a letter or digit first, no separator, not reserved, not too long. Any other
 * name is replaced by a readable part of it and a hash, so that distinct names stay distinct.
 */
export function safeName(name: string): string {
  const readable = name
    .replace(STRANGE, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, CHARACTERS_MAX)
    .replace(/\.+$/, '');
  if (readable === name && name !== '' && !RESERVED.test(name)) return name;
  const parts = [readable, hashOf(name).slice(0, HASH_CHARACTERS)];
  if (readable === '' || RESERVED.test(readable)) parts.unshift('tree');
  return parts.filter((part) => part !== '').join('-');
}

/** Folder names for a state, best first: a later one is used if another tree or another owner has those before it. */
export function folderNames(rootName: string, stateId: string): readonly string[] {
  const name = safeName(rootName);
  const ending = stateId.replaceAll(/[^A-Za-z0-9]/g, '').slice(-HASH_CHARACTERS);
  return [name, `${name}-${ending}`, `${name}-${hashOf(stateId).slice(0, 2 * HASH_CHARACTERS)}`];
}

/** Two names with the same key are one folder on some file system. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
