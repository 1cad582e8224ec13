// The HTTP door: parses, identifies, calls the service and puts what it came to into HTTP. Decides nothing.
export { createHttpApp, type HttpApp } from './app.js';
export type { HttpOptions } from './server-context.js';
export { listen, ListenError, type Listening, type ListenFailure, type ListenOptions } from './listen.js';
export { openApiDocument } from './openapi/document.js';
export { ROUTES } from './routes/index.js';
