import { Dialog } from '@base-ui/react/dialog';
import type { ReactElement } from 'react';
import { useKeyList } from '../../keys/use-keys.ts';
import { IconButton } from '../../ui/button.tsx';
import { texts } from '../texts.ts';
import styles from './key-help.module.css';

/** The keys that do something on the present screen. */
export const KeyHelp = ({ onClose }: { readonly onClose: () => void }): ReactElement => {
  const shown = new Map(useKeyList().map(({ keys, does }) => [keys, does]));
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <div className={styles.head}>
            <Dialog.Title>{texts.keysTitle}</Dialog.Title>
            <IconButton label={texts.closePanel} icon="close" onClick={onClose} />
          </div>
          <dl className={styles.list}>
            {[...shown].map(([keys, does]) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key.replace('mod+', navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl ')}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
