// The HTTP server: parses requests, identifies callers, calls the service, and translates results to HTTP.
// Decides nothing.
export { createHttpApp, type HttpApp } from './app.js';
export type { HttpOptions } from './server-context.js';
export { listen, ListenError, type Listening } from './listen.js';
export { openApiDocument } from './openapi/document.js';
export { ROUTES } from './routes/index.js';
