// `countersign demo`: its flags.
import { resolve } from 'node:path';
import { plainCommand, type CommandSpec } from '../../command.js';
import { integerFlag, switchFlag, textFlag } from '../../flag.js';
import type { WiredCommands } from '../../wiring.js';

export function demoCommand({ demo }: WiredCommands): CommandSpec {
  return plainCommand({
    usage: 'demo',
    summary: 'show the whole story in one go',
    flags: {
      repo: textFlag('--repo <path>', 'repository to work on'),
      workflow: switchFlag('--workflow', 'show an orchestrator and the record of its agents instead'),
      verbose: switchFlag('--verbose', 'show every prompt and write as it happens, and the final state'),
      keep: switchFlag('--keep', 'show it on the dashboard, and leave everything in place when it is over'),
      port: integerFlag('--port <n>', 'port to listen on (default: any that is free)', {
        env: true,
        max: 65_535,
      }),
    },
    examples: [
      'countersign demo',
      'countersign demo --verbose',
      'countersign demo --workflow',
      'countersign demo --repo . --keep',
    ],
    run: ({ flags: { repo, workflow, verbose, keep, port }, io }) =>
      demo(
        { repo: repo === undefined ? null : resolve(repo), workflow, verbose, keep, port: port ?? null },
        io,
      ),
  });
}
