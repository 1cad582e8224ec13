// Where the sessions of a tree stand in its graph. Many children that are alike stand as one group. Pure.
import { hierarchy, tree as tidyTree } from 'd3-hierarchy';
import type { SessionTree } from '../../../client/index.js';

export const NODE_WIDTH_PX = 264;
export const NODE_HEIGHT_PX = 68;
const ROW_PX = 84;
const COLUMN_PX = 340;
/** So many children without children of their own, and in the same situation, are one group. */
const GROUP_MIN = 12;
/** So many stand for themselves each time that their group is opened: a line to each is drawn, however far it is. */
const OPENED_AT_ONCE = 60;

/** Children of one session that stand for themselves only once the group is opened. */
export interface Group {
  readonly id: string;
  readonly parent: string;
  readonly sessions: readonly SessionTree[];
}

export type Item =
  | { readonly kind: 'session'; readonly session: SessionTree }
  | { readonly kind: 'group'; readonly group: Group };

export interface Placed {
  readonly id: string;
  readonly item: Item;
  readonly x: number;
  readonly y: number;
  readonly parent: string | null;
}

const idOf = (item: Item): string => (item.kind === 'session' ? item.session.session_id : item.group.id);

/**
 * @param open - Ids of opened groups, as often as each was opened.
 * @param selected - Its session is never within a group.
 */
export function placedIn(root: SessionTree, open: readonly string[], selected: string): readonly Placed[] {
  const whole = hierarchy<Item>({ kind: 'session', session: root }, (item) =>
    item.kind === 'group' ? [] : itemsBelow(item.session, open, selected),
  );
  return tidyTree<Item>()
    .nodeSize([ROW_PX, COLUMN_PX])(whole)
    .descendants()
    .map(({ data, x, y, parent }) => ({
      id: idOf(data),
      item: data,
      // The tree grows to the right, so breadth is the height.
      x: y,
      y: x,
      parent: parent === null ? null : idOf(parent.data),
    }));
}

function itemsBelow(session: SessionTree, open: readonly string[], selected: string): readonly Item[] {
  const alike = new Map<string, SessionTree[]>();
  for (const child of session.children) {
    if (child.children.length > 0 || child.session_id === selected) continue;
    const id = `${session.session_id}.${child.status}.${child.state_update_status ?? 'none'}`;
    const group = alike.get(id);
    if (group === undefined) alike.set(id, [child]);
    else group.push(child);
  }
  const groups = [...alike]
    .filter(([, sessions]) => sessions.length >= GROUP_MIN)
    .map(([id, sessions]) => ({
      id,
      parent: session.session_id,
      sessions: sessions.slice(OPENED_AT_ONCE * open.filter((one) => one === id).length),
    }))
    .filter(({ sessions }) => sessions.length > 0);
  const grouped = new Set(groups.flatMap((group) => group.sessions));
  return [
    ...session.children
      .filter((child) => !grouped.has(child))
      .map((child) => ({ kind: 'session', session: child }) as const),
    ...groups.map((group) => ({ kind: 'group', group }) as const),
  ];
}
