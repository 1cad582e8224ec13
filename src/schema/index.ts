// What the rest of the product may use of this module.
export { createSchemaEngine } from './engine.js';
