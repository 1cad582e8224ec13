// `countersign verify`: verifies histories against their hashes and signatures.
import { plainCommand, type CommandSpec } from '../../command.js';
import { jsonFlag } from '../../client-command.js';
import { readDocument } from '../../files/document.js';
import { textFlag } from '../../flag.js';
import { createOutput, type Output } from '../../text/output.js';
import { EXIT } from '../../text/exit-codes.js';
import { UsageError } from '../../usage-error.js';
import type { Verification, WiredCommands } from '../../wiring.js';
import { dbFlag } from './process-flags.js';

export function verifyCommand({ verify }: Pick<WiredCommands, 'verify'>): CommandSpec {
  return plainCommand({
    usage: 'verify [state]',
    summary: 'verify the histories of a database, of one of its states, or of an export',
    flags: {
      db: dbFlag,
      export: textFlag('--export <file>', 'verify this export of a state with its history instead'),
      expectHead: textFlag('--expect-head <hash>', 'hash of an event that has to be in the history'),
      ...jsonFlag,
    },
    examples: [
      'countersign verify',
      'countersign verify wfstate_1 --expect-head "$HEAD"',
      'countersign verify --db ./backup.db',
      'countersign verify --export ./state.json',
    ],
    notes: `Reads the database itself, also while a service works on it, and changes nothing. COUNTERSIGN_SIGNING_SECRET lets
it verify signatures. Exit code ${String(EXIT.ok)} if all records are intact, ${String(EXIT.refused)} if not: it names the first that is not.`,
    run: async ({ flags, optionalArg, io }) => {
      const { db, export: path, expectHead } = flags;
      const stateId = optionalArg(0) ?? null;
      // The variable names the database of other commands too.
      const isDbNamed = db !== undefined && db !== io.env['COUNTERSIGN_DB'];
      if (path !== undefined && (isDbNamed || stateId !== null))
        throw new UsageError('--export names what is verified: leave out the state and --db');
      const content = path === undefined ? null : await readDocument(path, io, 'exportFileBytesMax');
      const file = path === undefined ? null : { name: path, content };
      const out = createOutput(io, flags.json);
      const result = await verify({ db, stateId, expectedHead: expectHead ?? null, file }, io.env);
      const code = out.show(result, (found) => textOf(out, found));
      return result.ok && !result.value.holds ? EXIT.refused : code;
    },
  });
}

function textOf(out: Output, found: Verification): string {
  const { states, events, unsigned_events: unsigned, signatures, tampered, tampered_states: wrong } = found;
  const lines = tampered.map(({ state_id, version, what }) => {
    const where = version === null ? 'head' : `version ${String(version)}`;
    return `${state_id}  ${where}: ${what}`;
  });
  if (wrong > tampered.length) lines.push(`… and ${String(wrong - tampered.length)} more states`);
  if (found.expected_head_found === false)
    lines.push('The expected head is in no history: this is an older copy, or another database.');
  const sums = `states: ${String(states)}, events: ${String(events)}, states that fail verification: ${String(wrong)}`;
  const signed = {
    none: 'There are no signatures: hashes show careless edits, not a forger.',
    not_checked: 'The signatures were not checked: COUNTERSIGN_SIGNING_SECRET is not set.',
    checked: `The signatures were checked; events without one, from before the secret: ${String(unsigned)}.`,
  }[signatures];
  return out.free(`${[...lines, sums, signed].join('\n')}\n`);
}
