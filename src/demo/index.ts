// What this room shows: the demonstration, once there is a coordinator with a runner.
export { DemoFault } from './fault.js';
export { findRepository, type Repository } from './repository.js';
export { showDemo, type DemoSetting } from './show.js';
export type { Paper } from './text.js';
