// Whether the story went as it was told. Pure.
import type { DoctorReport } from '../client/index.js';
import { isJsonObject } from '../domain/json/json.js';
import { valueAt } from '../domain/json/pointer.js';
import { CHILDREN, EXPECTED, placeOf, type Role } from './cast.js';
import type { Snapshot } from './snapshot.js';

/** @returns What went otherwise, a sentence each; empty where all went as told. */
export function deviationsOf(snapshot: Snapshot, doctor: DoctorReport): string[] {
  return [
    ...CHILDREN.flatMap((role) => deviationsOfChild(role, snapshot)),
    ...deviationsOfEnd(snapshot),
    ...(doctor.healthy ? [] : ['countersign doctor found something that must never be.']),
  ];
}

function deviationsOfChild(role: Role, { sessions, completions, callbacks, state }: Snapshot): string[] {
  const { name } = role;
  const session = sessions.find(({ session_name }) => session_name === name);
  const completion = session === undefined ? undefined : completions.get(session.session_id);
  if (session === undefined || completion === undefined) return [`${name} was never started.`];
  const { status, attempts } = EXPECTED[role.manner];
  const wrong: string[] = [];
  if (completion.state_update_status !== status) {
    wrong.push(
      `${name} ended as ${completion.state_update_status ?? 'none'} instead of ${status}: ${completion.reason ?? 'no reason given'}`,
    );
  }
  // What the surroundings spoilt is no attempt of the child.
  const outcomes = completion.attempts.map(({ outcome }) => outcome).filter((one) => one !== 'environment');
  if (outcomes.join() !== attempts.join()) {
    wrong.push(
      `${name} answered its prompts with [${outcomes.join(', ')}] instead of [${attempts.join(', ')}].`,
    );
  }
  const told = callbacks.filter((one) => one.child_session_id === session.session_id);
  if (told.length !== 1 || told[0]?.status !== 'delivered') {
    const how = told.map((one) => one.status).join(', ');
    wrong.push(`${name} has called back as [${how}] instead of once.`);
  }
  const isThere = valueAt(state?.current_data ?? null, placeOf(role)) !== undefined;
  if (isThere !== (status === 'completed')) {
    wrong.push(`${placeOf(role)} is ${isThere ? '' : 'not '}in the final state.`);
  }
  return wrong;
}

function deviationsOfEnd({ state, runs }: Snapshot): string[] {
  const document = state?.current_data ?? null;
  const isDone = isJsonObject(document) && document['status'] === 'completed';
  const failed = runs.filter(({ status }) => status !== 'completed');
  return [
    ...(isDone ? [] : ['The root has not written its summary.']),
    ...failed.map((run) => `A run of ${run.session_name} ${run.status}: ${run.error ?? 'no reason given'}`),
  ];
}
