// `countersign backup` and `countersign restore`.
import { plainCommand, type CommandSpec } from '../../command.js';
import { jsonFlag } from '../../client-command.js';
import { required, textFlag } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { createOutput } from '../../text/output.js';
import type { Progress, WiredCommands } from '../../wiring.js';
import { dbFlag } from './process-flags.js';

export function backupCommand({ backup }: Pick<WiredCommands, 'backup'>): CommandSpec {
  return plainCommand({
    usage: 'backup <file>',
    summary: 'copy the database into a new file, also while a service works on it',
    flags: { db: dbFlag, ...jsonFlag },
    examples: ['countersign backup ./backup.db', 'countersign backup --db ./countersign.db ./backup.db'],
    notes: 'The copy is the database at one moment. Writers do not wait for it.',
    run: async ({ flags: { db, json }, arg, io }) => {
      const out = createOutput(io, json);
      const result = await backup({ db, file: arg(0) }, progressOn(io, json));
      return out.show(result, ({ db: from, file }) => out.free(`${from} is backed up in ${file}\n`));
    },
  });
}

export function restoreCommand({ restore }: Pick<WiredCommands, 'restore'>): CommandSpec {
  return plainCommand({
    usage: 'restore <file>',
    summary: 'restore a backup into a new database, after verifying it',
    flags: {
      db: required(textFlag('--db <file>', 'file of the new database; there must be none')),
      ...jsonFlag,
    },
    examples: ['countersign restore ./backup.db --db ./restored.db'],
    notes:
      'The histories of the backup are verified first; COUNTERSIGN_SIGNING_SECRET lets it verify signatures.',
    run: async ({ flags: { db, json }, arg, io }) => {
      const out = createOutput(io, json);
      const result = await restore({ file: arg(0), db }, io.env, progressOn(io, json));
      return out.show(result, ({ file, states, events }) =>
        out.free(`${db} was restored from ${file}: states: ${String(states)}, events: ${String(events)}\n`),
      );
    },
  });
}

/** Writes the progress on standard error: each percent on a terminal, else each quarter. */
function progressOn({ stderr, isTTY }: CliIo, json: boolean): Progress {
  if (json) return () => undefined;
  let shown = -1;
  return (done) => {
    const step = isTTY ? 1 : 25;
    const percent = Math.floor((done * 100) / step) * step;
    if (percent <= shown) return;
    shown = percent;
    stderr.write(isTTY ? `\r${String(percent)} %${percent === 100 ? '\n' : ''}` : `${String(percent)} %\n`);
  };
}
