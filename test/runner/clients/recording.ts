// What a real client printed once, without the places, ids and times of the machine where it did.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Recording {
  /** Version of the client. */
  readonly version: string;
  readonly stdout: readonly string[];
  readonly stderr: string;
  /** What it wrote to the log that its invocation asked for. */
  readonly log?: string;
  readonly exit_code: number | null;
  readonly exit_signal: NodeJS.Signals | null;
}

/** Stands where the id of the conversation stood. */
export const CONVERSATION = '00000000-0000-4000-8000-000000000000';

const FOLDER = path.join(import.meta.dirname, 'recordings');

const fileOf = (client: string, name: string) =>
  path.join(FOLDER, client, `${name.replaceAll(' ', '-')}.json`);

export function readRecording(client: string, name: string): Recording {
  return JSON.parse(readFileSync(fileOf(client, name), 'utf8'));
}

export function writeRecording(client: string, name: string, recording: Recording): void {
  const file = fileOf(client, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
}
