// A real Chromium, the built dashboard and a real coordinator with it, for the tests of the dashboard.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { createClient, type ClientOptions } from '../../src/client/index.js';
import { startCoordinator, type Coordinator } from '../../src/main/coordinator.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

/** Installs Debian's package where no Chromium is found and the user may do so. */
function chromiumPath(): string {
  const found = process.env['COUNTERSIGN_CHROMIUM'] ?? onPath();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0) {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']])
      spawnSync('apt-get', args, {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
  }
  const installed = onPath();
  if (installed !== undefined) return installed;
  throw new Error(
    'No Chromium is on the PATH: install it (apt-get install chromium), or set COUNTERSIGN_CHROMIUM',
  );
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
}

/** Builds the dashboard from the sources as they are now. */
export async function builtDashboard(): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', 'countersign-dashboard', String(process.pid));
  const script: string = new URL('../../scripts/dashboard.mjs', import.meta.url).href;
  const { buildDashboard } = await import(script);
  await buildDashboard(join(root, 'src'), folder);
  return folder;
}

const silent = { verbose: false, debug: nothing, info: nothing, warn: nothing, error: nothing };
function nothing(): void {
  // The tests look at answers, not at the log.
}

export interface Site extends Coordinator {
  readonly client: ReturnType<typeof createClient>;
  as(options: Omit<ClientOptions, 'url'>): ReturnType<typeof createClient>;
}

export async function openSite(
  dashboard: string,
  options: { db?: string; port?: number; auth?: boolean; webhookAllow?: readonly string[] } = {},
): Promise<Site> {
  const { db = ':memory:', port = 0, auth = false, webhookAllow = [] } = options;
  const coordinator = await startCoordinator({
    host: '127.0.0.1',
    port,
    db,
    auth,
    allowHosts: [],
    allowOrigins: [],
    webhookAllow,
    limits: { drainMs: 200 },
    logger: silent,
    dashboard,
  });
  const as = (given: Omit<ClientOptions, 'url'>) => createClient({ ...given, url: coordinator.url });
  return { ...coordinator, client: as({}), as };
}

/** What the page complained about: errors, and what its policy refused. */
export function complaintsOf(page: Page): string[] {
  const list: string[] = [];
  page.on('pageerror', (error) => list.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      list.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).hostname !== '127.0.0.1') list.push(`asked ${request.url()}`);
  });
  return list;
}
