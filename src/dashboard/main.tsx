// Starts the dashboard.
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProvider } from './api/use-api.js';
import { createAppRouter } from './router.js';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <ApiProvider>
      <RouterProvider router={createAppRouter()} />
    </ApiProvider>
  </StrictMode>,
);
