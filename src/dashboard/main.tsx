// Starts the dashboard.
import { CatchBoundary, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProvider } from './api/use-api.js';
import { Failed } from './parts/basics.js';
import { createAppRouter } from './router.js';
import { Heading } from './parts/heading.js';

/** In the place of the whole page. A view that fails alone is replaced by the router. */
function BrokenPage({ error }: { readonly error: unknown }) {
  return (
    <main>
      <Heading name="This page cannot be shown" />
      <Failed error={error} retry={() => location.reload()} />
    </main>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <CatchBoundary getResetKey={() => 'page'} errorComponent={BrokenPage}>
      <ApiProvider>
        <RouterProvider router={createAppRouter()} />
      </ApiProvider>
    </CatchBoundary>
  </StrictMode>,
);
