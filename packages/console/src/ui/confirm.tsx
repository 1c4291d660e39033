import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './confirm.module.css';
import { TextField } from './field.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The word of the button that does it. */
  readonly action: string;
  /** What has to be typed first, for what cannot be undone. */
  readonly typed?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is lost; the only place where the page stands still. */
export const Confirm = ({ title, children, action, typed, onConfirm, onClose }: ConfirmProps): ReactElement => {
  const [text, setText] = useState('');
  const isReady = typed === undefined || text === typed;
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
          {typed !== undefined && (
            <TextField label={`Type ${typed} to confirm`} value={text} onChange={setText} autoFocus />
          )}
          <div className={styles.actions}>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              kind="danger"
              disabled={!isReady}
              disabledReason={`Type ${typed} first`}
              onClick={() => {
                onConfirm();
                onClose();
              }}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
};
