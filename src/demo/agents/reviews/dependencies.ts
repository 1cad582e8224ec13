// Review: dependencies and their licences.
import { gitWithin } from '../../git.js';
import { dependenciesOf, MANIFESTS, type Dependency } from './manifests.js';
import { createBudget, forEachWithin, type Review } from './review.js';

const MANIFESTS_MAX = 20;
const DEPENDENCIES_MAX = 200;
const UNKNOWN = 'unknown';

export const reviewDependencies: Review = async (folder) => {
  const budget = createBudget();
  const patterns = MANIFESTS.map((name) => `:(glob)**/${name}`);
  const listed = await gitWithin(folder, ['ls-files', '-z', '--', ...patterns], {
    timeoutMs: budget.leftMs(),
  });
  const paths = listed.text.split('\0').filter((name) => name !== '' && !name.includes('node_modules/'));
  // The one at the root speaks for the repository; those deep down are fixtures more often than not.
  paths.sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b));
  const manifests = paths.slice(0, MANIFESTS_MAX);
  const read = await forEachWithin(manifests, budget, (name) => dependenciesOf(folder, name));
  const all = read.flat();
  const dependencies = all.slice(0, DEPENDENCIES_MAX).map((one) => ({
    ...one,
    licence: one.licence ?? UNKNOWN,
  }));
  const unknown = dependencies.filter(({ licence }) => licence === UNKNOWN).length;
  const complete = listed.complete && read.length === paths.length && all.length === dependencies.length;
  return {
    prose: `I found ${all.length} dependencies in ${manifests.length} manifests; ${unknown} have no known licence.`,
    data: {
      manifests: manifests.slice(0, read.length),
      dependencies,
      licences: licences(all.slice(0, DEPENDENCIES_MAX)),
      unknown,
      complete,
    },
  };
};

function licences(dependencies: readonly Dependency[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { licence } of dependencies) {
    if (licence !== null) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}
