// Clients that read, in every way there is.
import type { Random } from '../random.js';
import type { Journal } from './journal.js';
import type { Answer, Wire } from './wire.js';

type Read = (reader: Reader, journal: Journal, path: string) => Promise<unknown>;

export class Reader {
  constructor(
    readonly wire: Wire,
    readonly random: Random,
    readonly fault: (words: string) => void,
  ) {}

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer | null> {
    const came = await this.wire.send({ method: 'GET', path, headers });
    if (came.kind !== 'answer') return null;
    if (came.status === 200 || came.status === 304) return came;
    this.fault(`GET ${path} was answered ${String(came.status)} ${JSON.stringify(came.body)}`);
    return null;
  }
}

const whole: Read = async (reader, journal, path) => {
  const answer = await reader.get(path);
  if (answer === null) return;
  const { version, current_data: data } = answer.body;
  journal.read(`GET ${path}`, answer, version, data);
  if (answer.etag !== `"${String(version)}"`)
    reader.fault(`version ${String(version)} has the ETag ${String(answer.etag)}`);
};

const atPointer: Read = async (reader, journal, path) => {
  const answer = await reader.get(`${path}?pointer=`);
  if (answer !== null) journal.read(`GET ${path}?pointer=`, answer, answer.body.version, answer.body.value);
};

/** 304 says that the version is still the one that was named. */
const unlessKnown: Read = async (reader, journal, path) => {
  const { newest } = journal;
  const answer = await reader.get(path, { 'if-none-match': `"${String(newest)}"` });
  if (answer === null) return;
  if (answer.status === 304) journal.read(`GET ${path} (304)`, answer, newest, undefined);
  else journal.read(`GET ${path} (200)`, answer, answer.body.version, answer.body.current_data);
  if (answer.status === 200 && answer.body.version === newest)
    reader.fault(`200 where 304 was to be: ${path}`);
};

const past: Read = async (reader, journal, path) => {
  const version = reader.random.between(1, Math.max(1, journal.newest));
  const answer = await reader.get(`${path}?at_version=${String(version)}`);
  if (answer === null) return;
  journal.read(`GET ${path}?at_version`, answer, answer.body.version, answer.body.current_data, true);
  if (answer.body.version !== version)
    reader.fault(`asked for version ${String(version)}, got ${String(answer.body.version)}`);
};

const READS: readonly [Read, ...Read[]] = [whole, whole, atPointer, unlessKnown, past];

export function readSomething(reader: Reader, journals: readonly [Journal, ...Journal[]]): Promise<unknown> {
  const journal = reader.random.fraction() < 0.6 ? journals[0] : reader.random.oneOf(journals);
  return reader.random.oneOf(READS)(reader, journal, `/workflow-states/${journal.stateId}`);
}
