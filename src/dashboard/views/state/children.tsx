// What the children of the tree agreed to write into the state, and whether they did.
import type { CompletionListed } from '../../../client/index.js';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Names } from '../../parts/text/texts.js';
import { Faint, Panel, Status, Table } from '../../parts/basics.js';
import { CompletionLink } from '../../parts/text/links.js';
import { contractStatusOf } from './agreements.js';
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
          rows={of}
          keyOf={(one) => one.session_id}
          columns={[
            ['Child', (one) => <CompletionLink session={one.session_id} name={one.session_name} />, 'prose'],
            [
              'Contract at',
              ({ contract }) =>
                contract === null ? <Faint>none</Faint> : <code>{locationText(contract.pointer)}</code>,
            ],
            ['Writes only', ({ write_scope }) => scopeText(write_scope)],
            ['Result', (one) => <Status value={contractStatusOf(one)} />],
            ['Why', whyNot, 'prose'],
          ]}
        />
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

function scopeText(scope: CompletionListed['write_scope']): ReactNode {
  if (scope === null) return <Faint>anywhere</Faint>;
  if (scope.length === 0) return <Faint>nowhere</Faint>;
  return scope.map((pointer) => <code key={pointer}>{locationText(pointer)} </code>);
}

function whyNot(one: CompletionListed): ReactNode {
  const standing = contractStatusOf(one);
  if (standing === 'satisfied') return '';
  const errors = one.contract_broken?.errors ?? one.attempts.at(-1)?.errors ?? [];
  if (errors.length > 0)
    return <Names of={errors.map(({ pointer, message }) => `${pointer}: ${message}`)} by="; " />;
  return one.reason ?? '';
}
