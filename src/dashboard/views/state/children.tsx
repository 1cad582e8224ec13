// What the children of the tree agreed to write into the state, and whether they did.
import type { CompletionListed } from '../../../client/index.js';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Names } from '../../parts/text/texts.js';
import { Panel, Status, Table } from '../../parts/basics.js';
import { CompletionLink } from '../../parts/text/links.js';
import { standingOf } from './agreements.js';
import type { Pointer } from './document.js';

interface ChildrenProps {
  readonly root: string;
  /** Those that have a contract or a write scope. */
  readonly of: readonly CompletionListed[];
  /** True where the tree has more children than were asked for. */
  readonly more: boolean;
}

const locationText = (pointer: Pointer) => (pointer === '' ? '(whole document)' : pointer);

export function Children({ root, of, more }: ChildrenProps) {
  if (of.length === 0 && !more) return null;
  return (
    <Panel title="Contracts and write scopes">
      {of.length > 0 && (
        <Table
          label="Contracts and write scopes"
          head={['Child', 'Contract at', 'Writes only', 'Result', 'Why']}
        >
          {of.map((one) => (
            <tr key={one.session_id}>
              <td className="prose">
                <CompletionLink session={one.session_id} name={one.session_name} />
              </td>
              <td>
                {one.contract === null ? (
                  <span className="faint">none</span>
                ) : (
                  <code>{locationText(one.contract.pointer)}</code>
                )}
              </td>
              <td>
                {one.write_scope === null ? (
                  <span className="faint">anywhere</span>
                ) : one.write_scope.length === 0 ? (
                  <span className="faint">nowhere</span>
                ) : (
                  one.write_scope.map((pointer) => <code key={pointer}>{locationText(pointer)} </code>)
                )}
              </td>
              <td>
                <Status value={standingOf(one)} />
              </td>
              <td className="prose">{whyNot(one)}</td>
            </tr>
          ))}
        </Table>
      )}
      {more && (
        <p className="faint">
          The tree has more children:{' '}
          <Link to="/ui/completions" search={{ root }}>
            all completions of the tree
          </Link>
        </p>
      )}
    </Panel>
  );
}

function whyNot(one: CompletionListed): ReactNode {
  const standing = standingOf(one);
  if (standing === 'satisfied') return '';
  const errors = one.contract_broken?.errors ?? one.attempts.at(-1)?.errors ?? [];
  if (errors.length > 0)
    return <Names of={errors.map(({ pointer, message }) => `${pointer}: ${message}`)} by="; " />;
  return one.reason ?? '';
}
