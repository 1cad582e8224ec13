// Pages in a browser for one test, and what is asked of every view: no serious fault for axe, and a narrow screen.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { builtDashboard, complaintsOf, launch, openSite, type Site } from './browser.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env['COUNTERSIGN_SHOTS'];

export const THEMES = ['light', 'dark'] as const;
/** 1280 pixels at 400 %: what WCAG asks pages to reflow to. */
const NARROW = { width: 320, height: 800 };

export interface Opened {
  readonly page: Page;
  /** What the page has complained about until now. */
  readonly complaints: string[];
}

export class Pages {
  readonly #contexts: BrowserContext[] = [];

  constructor(private readonly browser: Browser) {}

  async open(path: string, on: Pick<Site, 'url'>, options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(25_000);
    const complaints = complaintsOf(page);
    await page.goto(new URL(path, on.url).href);
    return { page, complaints };
  }

  async close(): Promise<void> {
    // Some tests open no page.
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  /** Opens a view in both themes and returns what is wrong with it, by name. */
  async faultsOf(name: string, path: string, on: Pick<Site, 'url'>): Promise<unknown[]> {
    const faults: unknown[] = [];
    for (const colorScheme of THEMES) {
      const { page } = await this.open(path, on, { colorScheme, reducedMotion: 'reduce', bypassCSP: true });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      await page.waitForLoadState('networkidle', { timeout: 300 }).catch(() => undefined);
      await loaded(page);
      await shot(page, `${name}-${colorScheme}`);
      await page.addScriptTag({ content: axe });
      const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
        "axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)))",
      );
      faults.push(...found.map(({ id, nodes }) => [name, colorScheme, id, nodes.map(({ html }) => html)]));
      await page.setViewportSize(NARROW);
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      if (width !== NARROW.width) faults.push([name, colorScheme, 'wider than a narrow screen', width]);
      await shot(page, `${name}-${colorScheme}-narrow`);
      await page.context().close();
    }
    return faults;
  }
}

/** Waits until no part of the page says that it is loading; several may say so at once. */
export async function loaded(page: Page): Promise<void> {
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor({ state: 'detached' });
}

export async function shot(page: Page, name: string): Promise<void> {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) });
}

export interface OpenDashboard {
  /** Of the built dashboard. */
  readonly folder: string;
  readonly pages: Pages;
  readonly site: Site;
  readonly close: () => Promise<void>;
}

/** A browser and a coordinator with the dashboard, for all tests of a file. */
export async function openDashboard(): Promise<OpenDashboard> {
  const [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  const site = await openSite(folder);
  const close = async () => {
    await browser.close();
    await site.close();
  };
  return { folder, pages: new Pages(browser), site, close };
}
