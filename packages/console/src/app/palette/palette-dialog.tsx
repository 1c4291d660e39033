import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { texts } from '../texts.ts';
import styles from './palette.module.css';
import { type Hit, useHits } from './use-hits.ts';

/** The palette while it is open. */
export const PaletteDialog = ({ onClose }: { readonly onClose: () => void }): ReactElement => (
  <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={styles.backdrop} />
      <Dialog.Popup className={styles.popup} aria-label={texts.search}>
        <Finder onDone={onClose} />
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

const Finder = ({ onDone }: { readonly onDone: () => void }): ReactElement => {
  const id = useId();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const hits = useHits(text);
  const chosen = Math.min(at, hits.length - 1);
  const go = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    onDone();
    void navigate({ to: hit.to });
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') go(hits[chosen]);
    if (step === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(hits.length - 1, chosen + step)));
  };
  return (
    <>
      <input
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-hits`}
        aria-activedescendant={hits[chosen] && `${id}-${chosen}`}
        aria-label={texts.search}
        placeholder={texts.search}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-hits`} role="listbox" aria-label={texts.search} className={styles.hits}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above answers the keys
          <div
            key={hit.to}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onClick={() => go(hit)}
          >
            <Icon name={hit.icon} />
            <span>{hit.title}</span>
            <small>{hit.kind}</small>
          </div>
        ))}
      </div>
    </>
  );
};
