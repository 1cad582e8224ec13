// The views and their addresses: the URL is the view. They lie below /ui, beside the paths of the API.
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { lazy, useEffect } from 'react';
import {
  RUN_STATUSES,
  UPDATE_STATUSES,
  CALLBACK_STATUSES,
  DELIVERY_STATUSES,
  type CallbackStatus,
  type DeliveryStatus,
  type DeliveryFilter,
  type UpdateStatus,
  type RunStatus,
} from './api/list-queries.js';
import { ageOf, type StateFilter } from './api/queries.js';
import { useApi, useLink } from './api/use-api.js';
import { Empty, Failed } from './parts/basics.js';
import { Heading } from './parts/heading.js';
import { Shell } from './parts/shell.js';
import { OverviewView } from './views/overview/overview.js';
import {
  listOf,
  number,
  orderOf,
  pageOf,
  parseSearch,
  stringifySearch,
  text,
  texts,
  wholeText,
  type Given,
} from './search.js';
import type { SchemaSearch } from './views/schemas/schema.js';
import type { StateSearch } from './views/state/state-search.js';
import { StatesView } from './views/states.js';
import type { TreeSearch } from './views/tree/tree.js';

// Loaded when they are opened.
const StateView = lazy(() => import('./views/state/state.js'));
const TreeView = lazy(() => import('./views/tree/tree.js'));
const CompletionsView = lazy(() => import('./views/completions/completions.js'));
const CompletionView = lazy(() => import('./views/completions/completion.js'));
const RunsView = lazy(() => import('./views/runs/runs.js'));
const OneRunView = lazy(() => import('./views/runs/run.js'));
const RunnersView = lazy(() => import('./views/runners.js'));

const CallbacksView = lazy(() => import('./views/callbacks.js'));
const WebhooksView = lazy(() => import('./views/webhooks/webhooks.js'));
const OneWebhookView = lazy(() => import('./views/webhooks/webhook.js'));
const SchemasView = lazy(() => import('./views/schemas/schemas.js'));
const OneSchemaView = lazy(() => import('./views/schemas/schema.js'));

/**
 * In the place of a view that failed. If the service was away since the page was loaded, the page is loaded again once it is
 * back: a part that could not be loaded is not asked for again, and after an upgrade parts of an older page are gone.
 */
function Broken({ error }: { readonly error: unknown }) {
  const { connection } = useApi();
  const link = useLink();
  useEffect(() => {
    if (link === 'live' && connection.wasLost) location.reload();
  }, [link, connection]);
  return (
    <>
      <Heading name="This view cannot be shown" />
      {link === 'lost' ? (
        <p>The service does not answer. The view appears when it is back.</p>
      ) : (
        <>
          <p>Load the page again: after an upgrade of the service, the parts of an older page are gone.</p>
          <Failed error={error} retry={() => location.reload()} />
        </>
      )}
    </>
  );
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <>
      <Heading name="No view" />
      <Empty>There is no view at this address. Choose one above.</Empty>
    </>
  ),
  errorComponent: Broken,
});

const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewView });
const states = createRoute({
  getParentRoute: () => root,
  path: '/ui/states',
  validateSearch: (given: Given): StateFilter => ({
    schema: text(given['schema']),
    root: text(given['root']),
    since: ageOf(given['since']),
    search: text(given['search']),
    order: given['order'] === 'changed' ? 'changed' : orderOf(given['order']),
    cursor: text(given['cursor']),
  }),
  component: function States() {
    return <StatesView filter={states.useSearch()} />;
  },
});
const state = createRoute({
  getParentRoute: () => root,
  path: '/ui/states/$id',
  validateSearch: (given: Given): StateSearch => ({
    at: number(given['at']),
    from: number(given['from']),
    find: text(given['find']),
    key: wholeText(given['key']),
    place: text(given['place']),
  }),
  component: function State() {
    const { id } = state.useParams();
    return <StateView key={id} search={state.useSearch()} id={id} />;
  },
});
const tree = createRoute({
  getParentRoute: () => root,
  path: '/ui/trees/$id',
  validateSearch: (given: Given): TreeSearch => ({
    session: text(given['session']),
    as: (['graph', 'list'] as const).find((form) => form === given['as']),
    open: texts(given['open']),
  }),
  component: function Tree() {
    const { id } = tree.useParams();
    return <TreeView key={id} id={id} search={tree.useSearch()} />;
  },
});
const completions = createRoute({
  getParentRoute: () => root,
  path: '/ui/completions',
  validateSearch: listOf<UpdateStatus>(UPDATE_STATUSES),
  component: function Completions() {
    return <CompletionsView filter={completions.useSearch()} />;
  },
});
const completion = createRoute({
  getParentRoute: () => root,
  path: '/ui/completions/$session',
  component: function Completion() {
    const { session } = completion.useParams();
    return <CompletionView key={session} session={session} />;
  },
});
const runs = createRoute({
  getParentRoute: () => root,
  path: '/ui/runs',
  validateSearch: listOf<RunStatus>(RUN_STATUSES),
  component: function Runs() {
    return <RunsView filter={runs.useSearch()} />;
  },
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/ui/runs/$id',
  component: function Run() {
    const { id } = run.useParams();
    return <OneRunView key={id} id={id} />;
  },
});
const runners = createRoute({ getParentRoute: () => root, path: '/ui/runners', component: RunnersView });
const callbacks = createRoute({
  getParentRoute: () => root,
  path: '/ui/callbacks',
  validateSearch: listOf<CallbackStatus>(CALLBACK_STATUSES),
  component: function Callbacks() {
    return <CallbacksView filter={callbacks.useSearch()} />;
  },
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/ui/webhooks',
  validateSearch: pageOf,
  component: function Webhooks() {
    return <WebhooksView cursor={webhooks.useSearch().cursor} />;
  },
});
const webhook = createRoute({
  getParentRoute: () => root,
  path: '/ui/webhooks/$id',
  validateSearch: (given: Given): DeliveryFilter => {
    const { status, cursor } = listOf<DeliveryStatus>(DELIVERY_STATUSES)(given);
    return { status, cursor };
  },
  component: function Webhook() {
    const { id } = webhook.useParams();
    return <OneWebhookView key={id} id={id} filter={webhook.useSearch()} />;
  },
});
const schemas = createRoute({
  getParentRoute: () => root,
  path: '/ui/schemas',
  validateSearch: pageOf,
  component: function Schemas() {
    return <SchemasView cursor={schemas.useSearch().cursor} />;
  },
});
const schema = createRoute({
  getParentRoute: () => root,
  path: '/ui/schemas/$name',
  validateSearch: (given: Given): SchemaSearch => ({
    version: number(given['version']),
    from: number(given['from']),
    cursor: text(given['cursor']),
  }),
  component: function Schema() {
    const { name } = schema.useParams();
    return <OneSchemaView key={name} {...schema.useSearch()} name={name} />;
  },
});

export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([
      overview,
      states,
      state,
      tree,
      completions,
      completion,
      runs,
      run,
      runners,
      callbacks,
      webhooks,
      webhook,
      schemas,
      schema,
    ]),
    parseSearch,
    stringifySearch,
    defaultPreload: false,
    defaultErrorComponent: Broken,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
