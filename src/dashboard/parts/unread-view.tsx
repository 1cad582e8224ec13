// In the place of a view whose record has not been read: what was asked for, and that it is still loading, or has failed.
import { Unread, type UnreadProps } from './basics.js';
import { Heading } from './heading.js';

interface UnreadViewProps extends Omit<UnreadProps, 'what'> {
  /** As the address names it. */
  readonly name: string;
  readonly kind: string;
}

export function UnreadView({ read, name, kind }: UnreadViewProps) {
  return (
    <>
      <Heading name={name} kind={kind} />
      <Unread read={read} what={`the ${kind}`} />
    </>
  );
}
