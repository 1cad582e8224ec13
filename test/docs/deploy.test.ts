// docs/deploy: what can be checked of the Dockerfile and the compose file without a container.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cli } from '../cli/io-double.js';
import { ROOT } from './markdown.js';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const FOLDER = join(ROOT, 'docs', 'deploy');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const help = async (command: string) => (await cli([command, '--help'], { width: 500 })).out;

describe('the compose file', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as Compose;
  const own = Object.entries(services).filter(([, { build }]) => build !== undefined);

  it('has PostgreSQL, two coordinators and a runner', () => {
    expect(Object.keys(services)).toEqual(['postgres', 'first', 'second', 'runner']);
    expect(own.map(([, { command }]) => command?.[0])).toEqual(['serve', 'serve', 'runner']);
    expect(services['first']?.environment?.['COUNTERSIGN_DB']).toMatch(/^postgres:\/\/.*@postgres:5432\//);
  });

  it.each(own)('gives %s a command, flags and variables that there are', async (_, service) => {
    const [command = '', ...args] = service.command ?? [];
    const known = await help(command);
    for (const flag of args.filter((arg) => arg.startsWith('--'))) expect(known).toContain(` ${flag} `);
    for (const name of Object.keys(service.environment ?? {}))
      if (name !== 'COUNTERSIGN_TOKEN_SECRET') expect(known).toContain(`[env ${name}]`);
  });

  it('names only services, volumes and folders that there are, and no port twice', () => {
    for (const { build, depends_on: needed = {}, volumes: mounts = [] } of Object.values(services)) {
      for (const name of Object.keys(needed)) expect(Object.keys(services)).toContain(name);
      for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
      if (build !== undefined) expect(existsSync(join(FOLDER, build.context, build.dockerfile))).toBe(true);
    }
    const ports = Object.values(services).flatMap(({ ports: own = [] }) =>
      own.map((one) => one.split(':')[1]),
    );
    expect(new Set(ports).size).toBe(ports.length);
  });
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>;
    readonly files: readonly string[];
  };

  it('copies files of the repository, with all that the package has of the program', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(0);
    for (const name of copied) expect(existsSync(join(ROOT, name)), name).toBe(true);
    const shipped = lines.filter((line) => line.startsWith('COPY --from')).join('\n');
    const files = manifest.files.filter((one) => !one.startsWith('!'));
    for (const name of files.filter((one) => !['docs', 'CHANGELOG.md'].includes(one)))
      expect(shipped).toContain(`/app/${name} `);
  });

  it('runs the program of the package with commands and flags that there are, not as root', async () => {
    expect(lines.join('\n')).toContain(
      `/app/${String(manifest.bin['countersign'])} /usr/local/bin/countersign`,
    );
    expect(lines).toContain('USER node');
    const [command = '', ...args] = JSON.parse(
      lines.find((line) => line.startsWith('CMD '))?.slice('CMD '.length) ?? '[]',
    ) as readonly string[];
    const known = await help(command);
    for (const flag of args.filter((arg) => arg.startsWith('--'))) expect(known).toContain(` ${flag}`);
    expect(await help('ready')).toContain(' --timeout ');
  });
});
