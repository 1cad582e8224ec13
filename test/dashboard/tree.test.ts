// The tree of sessions as a graph, in a real Chromium on a real coordinator with real runs.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { PlayedRunner } from '../support/played-runner.js';
import { must } from '../support/stage.js';
import { openDashboard, type OpenDashboard } from './pages.js';
import { HOSTILE, tellStory, type Story } from './story.js';

let pages: OpenDashboard['pages'];
let site: OpenDashboard['site'];
let close: OpenDashboard['close'];
let story: Story;

beforeAll(async () => {
  ({ pages, site, close } = await openDashboard());
  story = await tellStory(site.client);
}, 300_000);

afterEach(() => pages.close());

afterAll(() => close());

const external = async (session_name: string, parent_session_name: string) =>
  must(await site.client.sessions.create({ session_name, parent_session_name, external: true })).session_id;

it('shows status, phase and attempts of each session, and a new one as it comes', async () => {
  const { page, complaints } = await pages.open(`/ui/trees/${story.rootId}`, site);
  const graph = page.locator('.graph');
  await graph.getByRole('link', { name: /release-42-builder .* result pending 1 of 3/ }).waitFor();
  await graph.getByRole('link', { name: /release-42-tester .* result failed/ }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await external('release-42-late', 'release-42');
  await graph.getByRole('link', { name: /release-42-late/ }).waitFor();
  expect(await graph.locator('.react-flow__edge').count()).toBe(3);
  expect(complaints).toEqual([]);
});

it('shows runs with their prompts and usage, the result, the writes and the state of a session', async () => {
  must(
    await site.client.runs.create({
      type: 'start_session',
      session_name: 'worker',
      parent_session_name: 'release-42',
      prompt: HOSTILE,
      completion: { mode: 'never' },
    }),
  );
  const runner = await PlayedRunner.register(site.client);
  const run = await runner.take('worker');
  const worker = site.as({ sessionName: 'worker' });
  must(await worker.states.ops(story.stateId, [{ op: 'set', pointer: '/done', value: 'by worker' }], {}));
  await runner.complete(run, 'It is built.', { result_data: { files: 3 }, usage: { total_tokens: 1234 } });
  const { page, complaints } = await pages.open(`/ui/trees/release-42`, site);
  await page
    .locator('.graph')
    .getByRole('link', { name: /worker finished/ })
    .click();
  await page.waitForURL(/session=ses_/);
  const panel = page.getByRole('region', { name: 'worker', exact: true });
  await panel.getByText('Runs and prompts').click();
  await panel.getByText('Prompt', { exact: true }).click();
  await panel.getByText('<script>').waitFor();
  await panel.getByText('Usage', { exact: true }).click();
  await panel.getByText('1234').waitFor();
  await panel.getByText('Output and result').click();
  await panel.getByText('It is built.').waitFor();
  await panel.getByText('"files": 3').waitFor();
  await panel.getByText('Writes of this session').click();
  await panel.getByText('add /done').waitFor();
  await panel.getByText('State of the tree').click();
  await panel.getByText('"by worker"').waitFor();
  expect(await page.evaluate('window.broken')).toBeUndefined();
  expect(complaints).toEqual([]);
});

it('groups children that are alike, and opens the group in the address', async () => {
  must(await site.client.sessions.create({ session_name: 'wide', external: true }));
  for (let n = 1; n <= 30; n += 1) await external(`leaf-${String(n)}`, 'wide');
  const { page } = await pages.open('/ui/trees/wide', site);
  const graph = page.locator('.graph');
  await graph.getByRole('link', { name: /30 sessions/ }).click();
  await page.waitForURL(/open=/);
  await graph
    .getByRole('link', { name: /^leaf-/ })
    .first()
    .waitFor();
  await page.reload();
  await graph
    .getByRole('link', { name: /^leaf-/ })
    .first()
    .waitFor();
  expect(await graph.getByRole('link', { name: /sessions/ }).count()).toBe(0);
});

it('is a list on narrow screens, or where the address says so', async () => {
  const path = `/ui/trees/${story.rootId}`;
  const { page } = await pages.open(path, site, { viewport: { width: 380, height: 800 } });
  await page
    .getByRole('listitem')
    .getByRole('link', { name: /release-42-tester/ })
    .waitFor();
  expect(await page.locator('.graph').count()).toBe(0);
  await page.getByRole('link', { name: 'graph' }).click();
  await page.locator('.graph').waitFor();
  await page.goto(new URL(`${path}?as=list`, site.url).href);
  await page
    .getByRole('listitem')
    .getByRole('link', { name: /release-42-tester/ })
    .waitFor();
});

it(
  'keeps a tree of 1,000 sessions to what is in view, and moves through it',
  { timeout: 90_000 },
  async () => {
    must(await site.client.sessions.create({ session_name: 'thousand', external: true }));
    for (let n = 0; n < 20; n += 1) {
      await external(`branch-${String(n)}`, 'thousand');
      await Promise.all(
        Array.from({ length: 49 }, (_, i) =>
          external(`twig-${String(n)}-${String(i)}`, `branch-${String(n)}`),
        ),
      );
    }
    const { session_id } = must(await site.client.sessions.get('twig-9-7'));
    const { items } = must(await site.client.sessions.list({ root_session: 'thousand', limit: 1000 }));
    // As the address opens every group, all 1,001 stand for themselves.
    const groups = items
      .filter(({ session_name }) => session_name.startsWith('branch-'))
      .map((one) => `${one.session_id}.pending.none`);
    const open = encodeURIComponent(JSON.stringify(groups));
    const { page } = await pages.open(`/ui/trees/thousand?session=${session_id}&open=${open}`, site);
    const graph = page.locator('.graph');
    await graph.getByRole('link', { name: /twig-9-7 / }).waitFor();
    expect(await graph.locator('.react-flow__node').count()).toBeLessThan(120);
    await graph.getByRole('button', { name: /zoom out/i }).click();
    await graph.getByRole('link', { name: /twig-9-8 / }).click();
    await page.getByRole('region', { name: 'twig-9-8', exact: true }).waitFor();
  },
);

it('has no serious violation for axe in both themes, and fits a narrow screen', async () => {
  for (const as of ['graph', 'list'])
    expect(await pages.faultsOf(`tree-${as}`, `/ui/trees/${story.rootId}?as=${as}`, site)).toEqual([]);
});

it('is marked in forced colours, which leave out backgrounds', async () => {
  const { page } = await pages.open(`/ui/trees/${story.rootId}?as=list`, site, { forcedColors: 'active' });
  await page.getByRole('link', { name: 'list', exact: true }).waitFor();
  const marks =
    "[...document.querySelectorAll('[aria-current]')].map((one) => getComputedStyle(one).outlineStyle)";
  const outlines: string[] = await page.evaluate(marks);
  expect(outlines).not.toEqual([]);
  expect(new Set(outlines)).toEqual(new Set(['solid']));
});
