// `connect` and `disconnect` of several projects, whose trust is in the same files of the user.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTwoFilesPatch } from 'diff';
import { cli } from '../io-double.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-several-'));
  for (const name of ['A', 'B', 'C']) mkdirSync(join(dir, name));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string, folder = 'A') =>
  cli([...line.split(' '), '--project-dir', join(dir, folder), '--yes'], { env: { HOME: dir } });
const textOf = (name: string) => readFileSync(join(dir, name), 'utf8');
function put(name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}
const RECORDS = '.local/state/countersign/connected';

function everything(): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('.local'),
  );
  const contentOf = (name: string) => (statSync(join(dir, name)).isFile() ? textOf(name) : 'folder');
  return Object.fromEntries(names.map((name) => [name, contentOf(name)]));
}

/** The files of the user that projects share, each with a text that a user may have. */
const CLIENTS = [
  {
    client: 'claude-code',
    texts: { '.claude.json': '\uFEFF{"numStartups": 7, "projects": {"/x": {"a": [1]}}}' },
  },
  { client: 'codex', texts: { '.codex/config.toml': 'model = "x"\n\n\n[tui] # why\ntheme = "z"' } },
  {
    client: 'gemini',
    texts: {
      '.gemini/trustedFolders.json': '{ // mine\n\t"/x": "DO_NOT_TRUST",\n}\n',
      '.gemini/trusted_hooks.json': '{"/x":["mine:run"]}',
    },
  },
] as const;
const ORDERS = [
  ['A', 'B'],
  ['B', 'A'],
];
const CASES = CLIENTS.flatMap(({ client, texts }) =>
  [texts, {}, Object.fromEntries(Object.keys(texts).map((name) => [name, '']))].flatMap((given) =>
    ORDERS.map((order) => ({ client, files: Object.keys(texts), given: Object.entries(given), order })),
  ),
);

/** How often the files name a project. */
function mentions(files: readonly string[], project: string): number {
  const all = files.map((name) => (existsSync(join(dir, name)) ? textOf(name) : '')).join('');
  return all.split(join(dir, project)).length - 1;
}

/** A change by a person or the client, at the start of a file. */
function edit(name: string): void {
  const text = textOf(name);
  put(name, name.endsWith('.toml') ? `approval = "never"\n${text}` : text.replace('{', '{ "first": 1,'));
}

describe('a file that projects share', () => {
  it.each(CASES)(
    'is as it was once all are disconnected: $client $given $order',
    async ({ client, files, given, order }) => {
      for (const [name, text] of given) put(name, text);
      const before = everything();
      expect(await run(`connect ${client}`, 'A')).toMatchObject({ code: 0 });
      const ofA = mentions(files, 'A');
      expect(ofA).toBeGreaterThan(0);
      expect(await run(`connect ${client}`, 'B')).toMatchObject({ code: 0 });
      expect([mentions(files, 'A'), mentions(files, 'B')]).toEqual([ofA, ofA]);
      // Repeated, and in a folder that was never connected.
      const both = everything();
      for (const name of ['A', 'B'])
        expect(await run(`connect ${client}`, name)).toMatchObject({ out: '', code: 0 });
      expect(await run(`disconnect ${client}`, 'C')).toMatchObject({ out: '', code: 0 });
      expect(everything()).toEqual(both);

      const [first = '', last = ''] = order;
      expect(await run(`disconnect ${client}`, first)).toMatchObject({ code: 0 });
      expect([mentions(files, first), mentions(files, last)]).toEqual([0, ofA]);
      expect(await run(`disconnect ${client}`, last)).toMatchObject({ code: 0 });
      expect(everything()).toEqual(before);
      expect(readdirSync(join(dir, RECORDS))).toEqual([]);
    },
  );

  it.each(CASES.flatMap((one) => ['one', 'both', 'one is left'].map((when) => ({ ...one, when }))))(
    'keeps changes of others: $client $given $order, made when $when',
    async ({ client, files, given, order, when }) => {
      for (const [name, text] of given) put(name, text);
      await run(`connect ${client}`, 'A');
      if (when === 'one') files.forEach(edit);
      await run(`connect ${client}`, 'B');
      if (when === 'both') files.forEach(edit);
      const [first = '', last = ''] = order;
      const ofLast = mentions(files, last);
      expect(await run(`disconnect ${client}`, first)).toMatchObject({ code: 0 });
      expect([mentions(files, first), mentions(files, last)]).toEqual([0, ofLast]);
      if (when === 'one is left') files.forEach(edit);
      expect(await run(`disconnect ${client}`, last)).toMatchObject({ code: 0 });
      for (const name of files) {
        const had = given.find(([one]) => one === name)?.[1] ?? '';
        const isToml = name.endsWith('.toml');
        const edited = isToml ? `approval = "never"\n${had}` : (had || '{}').replace('{', '{ "first": 1,');
        const compact = (text: string) => text.replaceAll(/[\s,]/g, '');
        expect(compact(textOf(name))).toBe(compact(edited));
      }
    },
  );

  it.each(CLIENTS)('keeps the projects that are still connected: $client', async ({ client, texts }) => {
    for (const [name, text] of Object.entries(texts)) put(name, text);
    const before = everything();
    const files = Object.keys(texts);
    for (const name of ['A', 'B', 'C']) await run(`connect ${client}`, name);
    await run(`disconnect ${client}`, 'B');
    await run(`connect ${client} --gate`, 'A');
    await run(`connect ${client}`, 'B');
    await run(`disconnect ${client}`, 'A');
    expect(mentions(files, 'A')).toBe(0);
    expect(mentions(files, 'B')).toBe(mentions(files, 'C'));
    await run(`disconnect ${client}`, 'C');
    await run(`disconnect ${client}`, 'B');
    expect(everything()).toEqual(before);
  });

  it('keeps the trust that its user gave one of the projects', async () => {
    const projects = { [join(dir, 'B')]: { hasTrustDialogAccepted: true } };
    put('.claude.json', JSON.stringify({ projects }));
    const before = everything();
    for (const verb of ['connect', 'disconnect'])
      for (const name of ['A', 'B'])
        expect(await run(`${verb} claude-code`, name)).toMatchObject({ code: 0 });
    expect(everything()).toEqual(before);
  });
});

describe('the settings of the user in a file that projects share', () => {
  const FILES = [
    ['claude-code', '.claude.json', '{"a": 1}'],
    ['codex', '.codex/config.toml', 'model = "x"'],
  ] as const;
  // u: the user, i: the hooks alone, A and B: projects. With + connected, with - disconnected.
  const STEPS = [
    '+u +A -u -A',
    '+u +A -A -u',
    '+A +u -u -A',
    '+A +u -A -u',
    '+i +A -A +u -u -i',
    '+i +u +A -u -A -i',
    '+A +i +u -u -i -A',
    '+i +A +B +u -i -A -u -B',
  ];
  const CASES = FILES.flatMap(([client, file, text]) =>
    [text, null].flatMap((given) => STEPS.map((steps) => [client, file, given, steps] as const)),
  );

  it.each(CASES)('stay until the user is disconnected: %s %s %j %s', async (client, file, given, steps) => {
    if (given !== null) put(file, given);
    const before = everything();
    const connected = new Set<string>();
    for (const step of steps.split(' ')) {
      const [isAdded, who] = [step.startsWith('+'), step.slice(1)];
      const ofHooks = `hook ${isAdded ? 'install' : 'uninstall'} --client ${client} --user`;
      const ofAll = `${isAdded ? 'connect' : 'disconnect'} ${client} --${who === 'u' ? 'user' : 'project'}`;
      expect(await run(who === 'i' ? ofHooks : ofAll, who === 'B' ? 'B' : 'A')).toMatchObject({ code: 0 });
      if (isAdded) connected.add(who);
      else connected.delete(who);
      const text = existsSync(join(dir, file)) ? textOf(file) : '';
      expect(/mcpServers|mcp_servers/.test(text)).toBe(connected.has('u'));
      for (const name of ['A', 'B']) expect(mentions([file], name) > 0).toBe(connected.has(name));
    }
    expect(everything()).toEqual(before);
  });
});

describe('a record of an earlier version, which did not tell projects apart', () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

  /** Moves the record of A to where earlier versions kept the one record of a file. */
  function age(file: string, text: string): void {
    const at = (name: string) => join(dir, RECORDS, `${hashOf(name)}.json`);
    const path = join(dir, file);
    const [before = '', after = ''] = [text, textOf(file)].map((one) => one.replace(/^\uFEFF/, ''));
    rmSync(at(`${path}\0`));
    rmSync(at(`${path}\0${join(dir, 'A')}`));
    const record = {
      patch: createTwoFilesPatch('after', 'before', after, before),
      before: hashOf(before),
      after: hashOf(after),
      created: false,
      folders: [],
      kinds: ['hooks', 'mcp', 'trust'],
      limit: 'shared',
    };
    writeFileSync(at(path), JSON.stringify(record));
  }

  it.each(CLIENTS)('restores the files of its project: $client', async ({ client, texts }) => {
    for (const [name, text] of Object.entries(texts)) put(name, text);
    const before = everything();
    for (const others of [[], ['B']]) {
      await run(`connect ${client}`, 'A');
      for (const [name, text] of Object.entries(texts)) age(name, text);
      // Another project does not take it for its own.
      const aged = everything();
      expect(await run(`disconnect ${client}`, 'B')).toMatchObject({ code: 0 });
      expect(everything()).toEqual(aged);
      for (const name of others) await run(`connect ${client}`, name);
      for (const name of others) await run(`disconnect ${client}`, name);
      expect(everything()).toEqual(aged);
      expect(await run(`connect ${client}`, 'A')).toMatchObject({ code: 0, out: '' });
      expect(await run(`disconnect ${client}`, 'A')).toMatchObject({ code: 0 });
      expect(everything()).toEqual(before);
      expect(readdirSync(join(dir, RECORDS))).toEqual([]);
    }
  });
});
