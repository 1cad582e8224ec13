// The public exports of the schema layer.
export { createSchemaEngine } from './engine.js';
