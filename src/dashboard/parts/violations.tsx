// What a schema refuses, place by place.
import type { Violation } from '../../client/index.js';
import { Table } from './basics.js';

export function Violations({ of }: { readonly of: readonly Violation[] }) {
  return (
    <Table
      label="Errors"
      rows={of}
      keyOf={(_, index) => index}
      columns={[
        ['Place', ({ pointer }) => <code>{pointer === '' ? '(whole value)' : pointer}</code>],
        ['Rule', ({ keyword }) => keyword],
        ['What is wrong', ({ message }) => message, 'prose'],
        ['Expected', ({ expected }) => <code>{JSON.stringify(expected)}</code>],
      ]}
    />
  );
}
