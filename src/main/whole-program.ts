// The whole program: the commands, and what main/ implements for them.
import { runCli, type CliIo, type WiredCommands } from '../cli/index.js';

// Each command imports only the modules that it needs.
const WIRED: WiredCommands = {
  async serve(options, own) {
    const { growYoungHeap, holdYoungHeap, makeAllYoung } = await import('./heap/young-heap.js');
    const { collectWhenIdle } = await import('./heap/idle-heap.js');
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
  copyDatabase: async (...args) => (await import('./commands/copy-database.js')).copyDatabase(...args),
  examineFile: async (...args) => (await import('./commands/doctor-file.js')).examineFile(...args),
  verify: async (...args) => (await import('./evidence/verify.js')).verify(...args),
  backup: async (...args) => (await import('./evidence/backup.js')).backup(...args),
  restore: async (...args) => (await import('./evidence/backup.js')).restore(...args),
  compareSchemas: async (...args) => (await import('./commands/compare-schemas.js')).compareSchemas(...args),
};

export function runProgram(argv: readonly string[], io: CliIo): Promise<number> {
  return runCli(argv, io, WIRED);
}
