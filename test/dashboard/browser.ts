// A real Chromium, the built dashboard and a real coordinator with it, for the tests of the dashboard.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createClient, type ClientOptions } from '../../src/client/index.js';
import { builtOnce, ROOT } from '../support/built-once.js';
import { startCoordinator, type Coordinator, type CoordinatorOptions } from '../../src/main/coordinator.js';

export async function launch(args: readonly string[] = []): Promise<Browser> {
  const script: string = new URL('../../scripts/chromium.mjs', import.meta.url).href;
  const { launch: launched } = await import(script);
  return launched(args);
}

let built: Promise<string> | undefined;

/** The folder of the dashboard, built from the sources as they are now. */
export function builtDashboard(): Promise<string> {
  return (built ??= builtOnce({
    name: 'countersign-dashboard',
    scripts: ['scripts/dashboard.mjs', 'scripts/bundle.mjs'],
    isSource: (name) => /\.\w+$/.test(name),
    into: async (folder) => {
      const script: string = new URL('../../scripts/dashboard.mjs', import.meta.url).href;
      const { buildDashboard } = await import(script);
      await buildDashboard(join(ROOT, 'src'), folder);
    },
  }));
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
  options: {
    db?: string;
    port?: number;
    auth?: boolean;
    webhookAllow?: readonly string[];
    allowHosts?: readonly string[];
    limits?: CoordinatorOptions['limits'];
  } = {},
): Promise<Site> {
  const {
    db = ':memory:',
    port = 0,
    auth = false,
    webhookAllow = [],
    allowHosts = [],
    limits = {},
  } = options;
  const coordinator = await startCoordinator({
    host: '127.0.0.1',
    port,
    db,
    auth,
    allowHosts,
    allowOrigins: [],
    webhookAllow,
    limits: { drainMs: 200, ...limits },
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
