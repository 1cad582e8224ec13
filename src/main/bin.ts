#!/usr/bin/env node
// The program's entry point: command line in, exit code out.
import { runCli, type CliIo } from '../cli/index.js';
import { collectWhenIdle } from './heap/idle-heap.js';
import { growYoungHeap, holdYoungHeap, makeAllYoung } from './heap/young-heap.js';

const io: CliIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  isTTY: process.stdout.isTTY,
  width: process.stdout.columns || 80,
};

// The reader of our output may close the pipe early (`countersign state log | head`). That is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Each command imports only the modules that it needs.
process.exitCode = await runCli(process.argv.slice(2), io, {
  async serve(options, own) {
    holdYoungHeap();
    makeAllYoung();
    const { serve } = await import('./commands/serve.js');
    return serve(options, own, () => {
      growYoungHeap();
      collectWhenIdle();
    });
  },
  runner: async (...args) => (await import('./commands/runner-command.js')).runRunner(...args),
  mcp: async (...args) => (await import('./commands/mcp.js')).runMcp(...args),
  demo: async (...args) => (await import('./commands/demo.js')).demo(...args),
  tokenCreate: async (...args) => (await import('./commands/tokens.js')).createToken(...args),
  tokenList: async (...args) => (await import('./commands/tokens.js')).listTokens(...args),
  tokenRevoke: async (...args) => (await import('./commands/tokens.js')).revokeToken(...args),
  examineFile: async (path) => (await import('./commands/doctor-file.js')).examineFile(path),
  compareSchemas: async (...args) => (await import('./commands/compare-schemas.js')).compareSchemas(...args),
});
