// A button that changes something: it asks for a confirmation, and for a reason where the service keeps one.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { whoAmI } from '../../api/queries.js';
import { invalidate, useClient } from '../../api/use-api.js';
import { Failed } from '../basics.js';

interface ActionProps {
  readonly name: string;
  /** What will happen. */
  readonly effect: string;
  readonly withReason?: boolean;
  /** What it takes. Who does not have it does not see the button; the service checks it too. */
  readonly right: 'orchestrate' | 'operate';
  readonly run: (reason: string) => Promise<unknown>;
}

export function Action({ name, effect, withReason = false, right, run }: ActionProps) {
  const caller = useQuery(whoAmI(useClient()));
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [reason, setReason] = useState('');
  const queries = useQueryClient();
  // Of now: a second click may come before the button is disabled.
  const isUnderWay = useRef(false);
  const change = useMutation({
    mutationFn: () => run(reason.trim()),
    onSuccess: async () => {
      dialog.current?.close();
      setReason('');
      await invalidate(queries);
    },
    // It was closed meanwhile: nobody would see the refusal.
    onError: () => {
      if (dialog.current?.open === false) dialog.current.showModal();
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  if (caller.data?.rights.includes(right) !== true) return null;
  return (
    <>
      <button type="button" className="quiet" onClick={() => dialog.current?.showModal()}>
        {name}
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={title}
        onClose={() => {
          if (!change.isPending) change.reset();
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isUnderWay.current) return;
            isUnderWay.current = true;
            change.mutate();
          }}
        >
          <h2 id={title}>{name}?</h2>
          <p>{effect}</p>
          {withReason && (
            <label>
              Reason
              <input
                required
                pattern=".*\S.*"
                title="At least one character that is not white space"
                maxLength={2048}
                value={reason}
                onChange={({ target }) => setReason(target.value)}
              />
            </label>
          )}
          {change.isError && <Failed error={change.error} />}
          <div className="row end">
            <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button type="submit" className="strong" disabled={change.isPending}>
              {name}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
