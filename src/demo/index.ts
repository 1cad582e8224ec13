// What this module offers: the demonstration, for a coordinator with a runner that is up.
export { DemoFault } from './fault.js';
export { findRepository } from './repository.js';
export { showDemo } from './show.js';
export { showWorkflowDemo } from './workflow/show.js';
