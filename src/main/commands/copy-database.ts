// `countersign db copy`: copies a database file to PostgreSQL, compares both, and examines the copy.
import {
  createOutput,
  EXIT,
  harmless,
  jsonText,
  styleOf,
  table,
  type CliIo,
  type CopyDatabaseOptions,
} from '../../cli/index.js';
import { ok } from '../../domain/errors.js';
import { databaseName, copyStore } from '../../store/index.js';
import { orFailure } from '../process/failure.js';
import { examineFile } from './doctor-file.js';

/** @returns The exit code. */
export async function copyDatabase(options: CopyDatabaseOptions, io: CliIo): Promise<number> {
  const done = await orFailure(async () => ok(await copyAndCompare(options, io)));
  return done.ok ? done.value : createOutput(io, options.json).refuse(done.failure);
}

async function copyAndCompare({ from, to, json }: CopyDatabaseOptions, io: CliIo): Promise<number> {
  const { tables, rowsBefore } = await copyStore(from, to);
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  // Its rows are those of the file, signatures too.
  const examined = await examineFile(to, {});
  if (!examined.ok) throw new Error(examined.failure.detail);
  const { healthy, findings } = examined.value;
  if (json) {
    const report = { rows, rows_before: rowsBefore, tables, healthy, findings };
    io.stdout.write(`${jsonText(report)}\n`);
  } else {
    const lines = tables.map((one) => [one.table, String(one.rows), one.hash]);
    const before = rowsBefore === 0 ? '' : `, ${String(rowsBefore)} of them before`;
    io.stdout.write(
      `${table(['table', 'rows', 'hash'], lines, styleOf(io))}${String(rows)} rows are in ${harmless(databaseName(to))}${before}; all are as in the file.\n`,
    );
    for (const { check, subject, detail } of findings)
      io.stdout.write(`${harmless(`${check} ${subject}: ${detail}`)}\n`);
    if (healthy) io.stdout.write('All histories hold, and countersign doctor finds nothing.\n');
  }
  return healthy ? EXIT.ok : EXIT.refused;
}
