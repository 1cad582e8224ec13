// What an agent of the demonstration understands of a prompt. Pure; it knows the words of the service.
import { isAtOrUnder, parsePointer } from '../../domain/json/pointer.js';

export interface UpdateRequest {
  readonly attempt: number;
  /** Members of the value at the asked-for location that were wrong last time. */
  readonly wrongMembers: readonly string[];
}

/** @param contractPointer - Pointer of what this agent owes. */
export function parseUpdateRequest(prompt: string, contractPointer: string): UpdateRequest {
  const attempt = /<state-update-request attempt="(\d+)"/.exec(prompt)?.[1];
  const pointers = [...prompt.matchAll(/^- (\/\S*): /gm)].map((line) => line[1] ?? '');
  const depth = parsePointer(contractPointer)?.length ?? 0;
  const wrong = pointers
    .filter((pointer) => isAtOrUnder(pointer, contractPointer))
    .flatMap((pointer) => parsePointer(pointer)?.[depth] ?? []);
  return { attempt: Number(attempt ?? 1), wrongMembers: [...new Set(wrong)] };
}

interface CallbackInPrompt {
  readonly child: string;
  /** True where its result stands in the state. */
  readonly recorded: boolean;
  readonly stateVersion: number | null;
}

/** The callbacks that a resumed parent reads: there may be several. */
export function parseCallbacks(prompt: string): CallbackInPrompt[] {
  return [...prompt.matchAll(/^<agent-callback ([^>]*)>$/gm)].flatMap(([, attributes = '']) => {
    const named = new Map(
      [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const child = named.get('child');
    const version = named.get('state_version');
    if (child === undefined) return [];
    return [
      {
        child,
        recorded: named.get('state_update') === 'completed',
        stateVersion: version === undefined ? null : Number(version),
      },
    ];
  });
}
