// A home directory for one run, for a client that reads its settings only from a home. Links the content of the
// user's own home, so that logins and conversations are shared. The settings are the user's merged with those of
// the run, and are removed with the run.
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { RunHome } from '../../agent-clients/runs/agent-cli.js';
import { parsedWithComments } from '../../agent-clients/runs/json-text.js';

/**
 * Creates the home in the folder of a run.
 *
 * @param inherited - Environment that locates the user's own home.
 * @returns The variable that points the client to the new home.
 * @throws Error If the user's settings are not JSON, with or without comments: running without them could mean running
 *   without a login.
 */
export async function openRunHome(
  home: RunHome,
  folder: string,
  inherited: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const own = inherited[home.variable] ?? '';
  const users = path.resolve(own === '' ? (inherited['HOME'] ?? homedir()) : own, home.folder);
  const homeFolder = path.join(folder, 'home', home.folder);
  await mkdir(homeFolder, { recursive: true, mode: 0o700 });
  for (const name of home.kept) await mkdir(path.join(users, name), { recursive: true });
  const shared = (await readdir(users)).filter(
    (name) => name !== home.settingsFile && !home.own.includes(name) && !Object.hasOwn(home.texts, name),
  );
  for (const name of shared) await symlink(path.join(users, name), path.join(homeFolder, name));
  const settings = merged(await settingsIn(path.join(users, home.settingsFile)), home.settings);
  await writeFile(path.join(homeFolder, home.settingsFile), JSON.stringify(settings), { mode: 0o600 });
  for (const [name, text] of Object.entries(home.texts)) {
    await writeFile(path.join(homeFolder, name), text, { mode: 0o600 });
  }
  return { [home.variable]: path.join(folder, 'home') };
}

async function settingsIn(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return {};
  }
  const value = parsedWithComments(text);
  if (isJsonObject(value)) return value;
  throw new Error(`${file} is not a JSON object`);
}

/** Merges objects member by member; for all other values the run's value wins. */
function merged(users: JsonObject, runs: JsonObject): JsonObject {
  const members = Object.entries(runs).map(([name, value]): [string, JsonValue] => {
    const before = Object.hasOwn(users, name) ? users[name] : undefined;
    return [name, isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value];
  });
  return { ...users, ...Object.fromEntries(members) };
}
