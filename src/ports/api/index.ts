// Exports the whole wire contract.
export * from './agents.js';
export * from './changes.js';
export * from './common.js';
export * from './hearing.js';
export * from './hooks.js';
export * from './keys.js';
export * from './operations.js';
export * from './patches.js';
export * from './problems.js';
export * from './runs.js';
export * from './schemas.js';
export * from './sessions.js';
export * from './state-operators.js';
export * from './sockets.js';
export * from './states.js';
export * from './webhooks.js';
export * from './streams.js';
