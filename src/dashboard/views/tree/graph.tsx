// A tree of sessions as a graph. Only what is in view is in the page, so that large trees stay smooth.
import {
  Controls,
  MiniMap,
  ReactFlow,
  type Edge,
  type ReactFlowInstance,
  Position,
  type NodeHandle,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import type { CompletionListed, SessionTree } from '../../../client/index.js';
import { NODE_HEIGHT_PX, NODE_WIDTH_PX, placedIn, type Placed } from './layout.js';
import { GroupCard, SessionCard, type GraphNode } from './node.js';

const TYPES = { session: SessionCard, group: GroupCard };
/** A tree of so many nodes is shown as a whole at first; of a larger one, what is around the selected session. */
const WHOLE_MAX = 24;
/** The tree is also a list: lines between ids say nothing aloud. */
const HIDDEN = { 'aria-hidden': true } as const;
/** The map draws each node anew at each change. */
const MAP_MAX = 300;
const WHOLE = { padding: 0.12, maxZoom: 1, minZoom: 0.55 };

interface GraphProps {
  readonly root: SessionTree;
  readonly selected: string;
  readonly open: readonly string[];
  /** The completions that are pending or failed. */
  readonly completions: readonly CompletionListed[];
}

export function Graph({ root, selected, open, completions }: GraphProps) {
  const placed = useMemo(() => placedIn(root, open, selected), [root, open, selected]);
  const attempts = useMemo(
    () => new Map(completions.map((one) => [one.session_id, attemptOf(one)])),
    [completions],
  );
  const nodes = useMemo(
    () => placed.map((one) => nodeOf(one, selected, attempts)),
    [placed, selected, attempts],
  );
  const edges = useMemo(() => placed.flatMap(edgeOf), [placed]);
  const [flow, setFlow] = useState<ReactFlowInstance<GraphNode> | null>(null);
  useEffect(() => {
    if (flow === null) return;
    if (nodes.length <= WHOLE_MAX) void flow.fitView(WHOLE);
    else void flow.fitView({ ...WHOLE, nodes: [{ id: selected }] });
    // Once there are more or fewer nodes; a change of status moves nothing.
  }, [flow, nodes.length, selected]);
  return (
    <div className="graph">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={TYPES}
        onInit={setFlow}
        onlyRenderVisibleElements
        minZoom={0.05}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        // The wheel scrolls the page. Zooming has buttons, and gestures.
        zoomOnScroll={false}
        preventScrolling={false}
        aria-label="Sessions as a graph"
      >
        <Controls showInteractive={false} />
        {nodes.length > WHOLE_MAX && nodes.length <= MAP_MAX && (
          <MiniMap pannable ariaLabel="The whole graph" />
        )}
      </ReactFlow>
    </div>
  );
}

function attemptOf({ attempt, max_attempts: of, state_update_status: status }: CompletionListed): string {
  return status === 'pending' || attempt > 0 ? `${String(attempt)} of ${String(of)}` : '';
}

/** The size and the ends of every node. Without them, the library draws all nodes to measure them, at each change. */
const MEASURED = { width: NODE_WIDTH_PX, height: NODE_HEIGHT_PX };
const MIDDLE_PX = NODE_HEIGHT_PX / 2;
const END = { y: MIDDLE_PX, width: 1, height: 1 };
const ENDS: NodeHandle[] = [
  { ...END, type: 'target', position: Position.Left, x: 0 },
  { ...END, type: 'source', position: Position.Right, x: NODE_WIDTH_PX },
];

function nodeOf(
  { id, item, x, y }: Placed,
  selected: string,
  attempts: ReadonlyMap<string, string>,
): GraphNode {
  const position = {
    id,
    position: { x, y },
    ...MEASURED,
    measured: MEASURED,
    handles: ENDS,
    draggable: false,
  };
  return item.kind === 'group'
    ? { ...position, type: 'group', data: { group: item.group } }
    : {
        ...position,
        type: 'session',
        data: { session: item.session, selected: id === selected, attempt: attempts.get(id) ?? null },
      };
}

function edgeOf({ id, parent }: Placed): readonly Edge[] {
  return parent === null
    ? []
    : [{ id: `${parent} ${id}`, source: parent, target: id, domAttributes: HIDDEN }];
}
