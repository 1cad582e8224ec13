// The views and their addresses: the URL is the view. They lie below /ui, beside the paths of the API.
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { StateFilter } from './api/queries.js';
import { Empty, Failed } from './parts/basics.js';
import { Shell } from './parts/shell.js';
import { OverviewView } from './views/overview.js';
import { StateView, type StateSearch } from './views/state/state.js';
import { StatesView } from './views/states.js';
import { TreeView, type TreeSearch } from './views/tree.js';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty>There is no view at this address. Choose one above.</Empty>,
  errorComponent: ({ error }) => <Failed error={error} />,
});

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewView });
const states = createRoute({
  getParentRoute: () => root,
  path: '/ui/states',
  validateSearch: (given: Record<string, unknown>): StateFilter => ({
    schema: text(given['schema']),
    root: text(given['root']),
    since: text(given['since']),
    cursor: text(given['cursor']),
  }),
  component: function States() {
    return <StatesView filter={states.useSearch()} />;
  },
});
const state = createRoute({
  getParentRoute: () => root,
  path: '/ui/states/$id',
  validateSearch: (given: Record<string, unknown>): StateSearch => ({
    at: number(given['at']),
    from: number(given['from']),
    find: text(given['find']),
  }),
  component: function State() {
    const { id } = state.useParams();
    return <StateView key={id} {...state.useSearch()} id={id} />;
  },
});
const tree = createRoute({
  getParentRoute: () => root,
  path: '/ui/trees/$id',
  validateSearch: (given: Record<string, unknown>): TreeSearch => ({ session: text(given['session']) }),
  component: function Tree() {
    const { id } = tree.useParams();
    return <TreeView key={id} id={id} selected={tree.useSearch().session} />;
  },
});

export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([overview, states, state, tree]),
    defaultPreload: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
