// The document of a state at one version: its search, its tree, and what is selected in it.
import { Copy, Panel } from '../../parts/basics.js';
import { commandOf, curlOf } from './copied.js';
import { DocumentTree, type DocumentTreeProps } from './document-tree.js';
import { valueAt, type Pointer } from './document.js';
import type { StateSearch } from './state-search.js';

interface DocumentPanelProps extends Omit<DocumentTreeProps, 'search' | 'onSelect'> {
  readonly id: string;
  /** The version, if it is an earlier one. */
  readonly past: number | undefined;
  readonly leavePast: () => void;
  readonly find: string;
  readonly go: (change: StateSearch) => void;
}

export function DocumentPanel({ id, past, leavePast, find, go, ...tree }: DocumentPanelProps) {
  const { document, selected } = tree;
  return (
    <Panel
      title={past === undefined ? 'Document' : `Document at version ${String(past)}`}
      aside={
        <input
          type="search"
          aria-label="Search the document"
          placeholder="Search names and values"
          // The address follows a moment later: a value from there would move the cursor to the end.
          defaultValue={find}
          onChange={({ target }) => go({ find: target.value === '' ? undefined : target.value })}
        />
      }
    >
      {past !== undefined && (
        <p className="notice past">
          This is the past.{' '}
          <button type="button" className="quiet" onClick={leavePast}>
            Back to the present
          </button>
        </p>
      )}
      <DocumentTree
        {...tree}
        search={find}
        onSelect={(location) => go({ place: location === '' ? undefined : location })}
      />
      <Selected id={id} document={document} past={past} location={selected} />
    </Panel>
  );
}

interface SelectedProps extends Pick<DocumentPanelProps, 'id' | 'document' | 'past'> {
  readonly location: Pointer;
}

/** The selected location: what can be copied of it, and a text in full. */
function Selected({ id, document, past, location }: SelectedProps) {
  const value = valueAt(document, location);
  return (
    <div className="selected">
      <code>{location === '' ? '(whole document)' : location}</code>
      <span className="row">
        <Copy text={location}>Copy pointer</Copy>
        <Copy text={curlOf(id, location, past)}>Copy curl</Copy>
        <Copy text={commandOf(id, location, past)}>Copy command</Copy>
        <Copy text={() => (value === undefined ? '' : JSON.stringify(value, null, 2))}>Copy value</Copy>
      </span>
      {location !== '' && typeof value === 'string' && <pre dir="auto">{value}</pre>}
    </div>
  );
}
