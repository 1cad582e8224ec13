// The document as a tree to open and close. Only the rows in view are in the page, so large documents stay smooth.
import { hotkeysCoreFeature, syncDataLoaderFeature, type ItemInstance } from '@headless-tree/core';
import { useTree } from '@headless-tree/react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { JsonObject, JsonValue } from '../../../client/index.js';
import { Status } from '../../parts/basics.js';
import type { Mark } from './agreements.js';
import { above, childrenOf, find, isContainer, isList, nameOf, valueAt, type Pointer } from './document.js';

const ROW_PX = 28;
/** A member with more of its own is closed at first: each row in the tree takes time at each change. */
const OPENED_MAX = 200;
/** A row shows so much of a text; the panel below shows it whole. */
const TEXT_MAX = 200;
const ROOT = '#';
const NONE: readonly Pointer[] = [];
const UNMARKED: readonly Mark[] = [];
/** A row shows so many marks; the list of the children names all. */
const MARKS_MAX = 3;

/** The tree refuses an item that is `undefined`, such as one that a change has just removed. */
interface Held {
  readonly value: JsonValue | undefined;
}

export interface DocumentTreeProps {
  readonly document: JsonObject;
  readonly search: string;
  /** Locations that have just changed. */
  readonly lit: readonly Pointer[];
  /** What the children of the tree agreed to write, by location. */
  readonly marks: ReadonlyMap<Pointer, readonly Mark[]>;
  readonly selected: Pointer;
  readonly onSelect: (pointer: Pointer) => void;
}

/** The ids of the tree are pointers after a `#`, since the root needs one, too. */
const pointerOf = (id: string) => id.slice(ROOT.length);

export function DocumentTree({ document, search, lit, marks, selected, onSelect }: DocumentTreeProps) {
  const matches = useMemo(() => (search === '' ? NONE : find(document, search)), [document, search]);
  const [opened, setOpened] = useState<string[]>(() => [
    ROOT,
    ...childrenOf(document, '')
      .filter((one) => childrenOf(document, one).length <= OPENED_MAX)
      .map((one) => ROOT + one),
  ]);
  const [focused, setFocused] = useState<string | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  // In an effect: the tree sets state while it renders, and then needs the same array each time.
  useEffect(() => {
    const unfolded = [...matches, ...lit, selected].flatMap(above).map((one) => ROOT + one);
    setOpened((before) => {
      const missing = new Set(unfolded.filter((id) => !before.includes(id)));
      return missing.size === 0 ? before : [...before, ...missing];
    });
  }, [matches, lit, selected]);
  const tree = useTree<Held>({
    rootItemId: ROOT,
    getItemName: (item) => nameOf(pointerOf(item.getId())),
    isItemFolder: (item) => isContainer(item.getItemData().value),
    dataLoader: {
      getItem: (id) => ({ value: valueAt(document, pointerOf(id)) }),
      getChildren: (id) => childrenOf(document, pointerOf(id)).map((one) => ROOT + one),
    },
    state: { expandedItems: opened, focusedItem: focused },
    setExpandedItems: (change) => setOpened(typeof change === 'function' ? change : () => change),
    setFocusedItem: setFocused,
    onPrimaryAction: (item) => onSelect(pointerOf(item.getId())),
    scrollToItem: (item) => rows.scrollToIndex(item.getItemMeta().index),
    features: [syncDataLoaderFeature, hotkeysCoreFeature],
  });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    // The tree keeps its list of rows until it is told; that alone draws nothing.
    tree.rebuildTree();
    redraw();
  }, [document, opened, tree]);
  const items = tree.getItems();
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const shown = new Set(matches);
  const [first] = matches;
  const at = first === undefined ? -1 : items.findIndex((item) => item.getId() === ROOT + first);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: 'center' });
  }, [at, search, rows]);
  return (
    <>
      {search !== '' && (
        <p className="faint" role="status">
          {matches.length === 0 ? 'Nothing found.' : `${String(matches.length)} found.`}
        </p>
      )}
      <div className="document" ref={frame}>
        <div
          {...tree.getContainerProps('Document')}
          style={{ height: rows.getTotalSize(), position: 'relative' }}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const item = items[index];
            if (item === undefined) return null;
            const pointer = pointerOf(item.getId());
            return (
              <Row
                key={item.getKey()}
                item={item}
                top={start}
                value={valueAt(document, pointer)}
                lit={lit.some((one) => one === pointer || pointer.startsWith(`${one}/`))}
                found={shown.has(pointer)}
                chosen={pointer !== '' && pointer === selected}
                marks={marks.get(pointer) ?? UNMARKED}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  readonly item: ItemInstance<Held>;
  readonly top: number;
  readonly value: JsonValue | undefined;
  readonly lit: boolean;
  readonly found: boolean;
  readonly chosen: boolean;
  readonly marks: readonly Mark[];
}

function Row({ item, top, value, lit, found, chosen, marks }: RowProps) {
  const level = item.getItemMeta().level;
  return (
    <div
      {...item.getProps()}
      // The name is the text of the row: the member and its value.
      aria-label={undefined}
      // The tree has no key for it: it expects buttons.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        item.primaryAction();
      }}
      className={['node', lit ? 'lit' : '', found ? 'found' : '', chosen ? 'chosen' : ''].join(' ')}
      style={{
        height: ROW_PX,
        transform: `translateY(${String(top)}px)`,
        paddingInlineStart: 8 + level * 18,
      }}
    >
      <span className="twist" aria-hidden="true">
        {item.isFolder() ? (item.isExpanded() ? '▾' : '▸') : ''}
      </span>
      <bdi className="name">{item.getItemName()}</bdi>
      <Value value={value} />
      {marks.length > 0 && <Marks of={marks} />}
    </div>
  );
}

function Marks({ of }: { readonly of: readonly Mark[] }) {
  return (
    <span className="marks">
      {of.slice(0, MARKS_MAX).map(({ kind, session, standing, pointer }) => (
        <span key={`${kind} ${session} ${pointer}`} title={`${session}: ${pointer}`}>
          {kind === 'contract' ? (
            <Status value={standing} label={`contract ${standing}`} />
          ) : (
            <Status value="writes" label={`scope of ${session}`} />
          )}
        </span>
      ))}
      {of.length > MARKS_MAX && <span className="faint">and {of.length - MARKS_MAX} more</span>}
    </span>
  );
}

function Value({ value }: { readonly value: JsonValue | undefined }) {
  if (isContainer(value)) {
    const count = Object.keys(value).length;
    return <span className="faint">{isList(value) ? `[${String(count)}]` : `{${String(count)}}`}</span>;
  }
  const text = value === undefined ? '' : JSON.stringify(value);
  return (
    <bdi className={`value ${value === null ? 'null' : typeof value}`}>
      {text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text}
    </bdi>
  );
}
