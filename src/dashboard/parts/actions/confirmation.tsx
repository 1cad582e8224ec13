// The dialogs in which actions are confirmed. They belong to the page, not to their buttons: a row that leaves its list
// closes no dialog and hides no refusal.
import { useRouter } from '@tanstack/react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { invalidate } from '../../api/use-api.js';
import { Failed } from '../basics.js';

/** What is asked for a confirmation, and for a reason where the service keeps one. */
export interface ActionToConfirm {
  readonly name: string;
  /** What will happen. */
  readonly effect: string;
  readonly withReason?: boolean;
  readonly run: (reason: string) => Promise<unknown>;
}

interface Opened {
  readonly number: number;
  readonly action: ActionToConfirm;
}

const Confirm = createContext<(action: ActionToConfirm) => void>(() => undefined);

/** Opens the dialog of an action. */
export function useConfirm() {
  return useContext(Confirm);
}

export function Confirmations({ children }: { readonly children: ReactNode }) {
  const [opened, setOpened] = useState<readonly Opened[]>([]);
  const count = useRef(0);
  const router = useRouter();
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && setOpened([])),
    [router],
  );
  const confirm = useCallback((action: ActionToConfirm) => {
    count.current += 1;
    const number = count.current;
    setOpened((others) => [...others, { number, action }]);
  }, []);
  return (
    <Confirm value={confirm}>
      {children}
      {opened.map((one) => (
        <Confirmation
          key={one.number}
          action={one.action}
          onEnd={() => setOpened((all) => all.filter(({ number }) => number !== one.number))}
        />
      ))}
    </Confirm>
  );
}

interface ConfirmationProps {
  readonly action: ActionToConfirm;
  /** Called when it is closed and nothing is under way. */
  readonly onEnd: () => void;
}

function Confirmation({ action: { name, effect, withReason = false, run }, onEnd }: ConfirmationProps) {
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
      await invalidate(queries);
      onEnd();
    },
    // It was closed meanwhile: nobody would see the refusal.
    onError: () => {
      if (dialog.current?.open === false) dialog.current.showModal();
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onClose={() => {
        if (!isUnderWay.current) onEnd();
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
  );
}
