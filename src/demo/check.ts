// Whether the story went as expected. Pure.
import type { DoctorReport } from '../client/index.js';
import { isJsonObject } from '../domain/json/json.js';
import { valueAt } from '../domain/json/pointer.js';
import { CHILDREN, records, type Child } from './children.js';
import type { Snapshot } from './snapshot.js';

/** @returns What went otherwise, a sentence each; empty where all went as expected. */
export function deviationsOf(snapshot: Snapshot, doctor: DoctorReport): string[] {
  const document = snapshot.state?.current_data ?? null;
  const isDone = isJsonObject(document) && document['status'] === 'completed';
  return [
    ...CHILDREN.flatMap((child) => deviationsOfChild(child, snapshot)),
    ...(isDone ? [] : ['The root has not written its summary.']),
    ...snapshot.runs
      .filter(({ status }) => status !== 'completed')
      .map((run) => `A run of ${run.session_name} ${run.status}: ${run.error ?? 'no reason given'}`),
    ...(doctor.healthy ? [] : ['countersign doctor found something that must never be.']),
  ];
}

function deviationsOfChild(child: Child, { completions, callbacks, state }: Snapshot): string[] {
  const { name, pointer, attempts } = child;
  const completion = completions.get(name);
  if (completion === undefined) return [`${name} was never started.`];
  const status = records(child) ? 'completed' : 'failed';
  const found: string[] = [];
  if (completion.state_update_status !== status) {
    const why = completion.reason ?? 'no reason given';
    found.push(`${name} ended as ${completion.state_update_status ?? 'none'} instead of ${status}: ${why}`);
  }
  // A failure of the environment is no attempt of the child.
  const outcomes = completion.attempts.map(({ outcome }) => outcome).filter((one) => one !== 'environment');
  if (outcomes.join() !== attempts.join()) {
    found.push(
      `${name} answered its prompts with [${outcomes.join(', ')}], not with [${attempts.join(', ')}].`,
    );
  }
  const own = callbacks.filter((one) => one.child_session_id === completion.session_id);
  if (own.length !== 1 || own[0]?.status !== 'delivered') {
    found.push(
      `The callbacks of ${name} are [${own.map((one) => one.status).join(', ')}], not one delivered.`,
    );
  }
  const isThere = valueAt(state?.current_data ?? null, pointer) !== undefined;
  if (isThere !== records(child)) found.push(`${pointer} is ${isThere ? '' : 'not '}in the final state.`);
  return found;
}
