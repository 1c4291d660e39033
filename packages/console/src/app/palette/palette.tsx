import { type ReactElement, Suspense, useState } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Icon } from '../../ui/icon.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { texts } from '../texts.ts';
import styles from './palette.module.css';

const PaletteDialog = lazyPart(async () => (await import('./palette-dialog.tsx')).PaletteDialog);

/** Finds names, text and actions from everywhere: Cmd or Ctrl with K. */
export const Palette = (): ReactElement => {
  const [isOpen, setOpen] = useState(false);
  useKey({ keys: 'mod+k', does: texts.search, run: () => setOpen(true) });
  return (
    <>
      <button type="button" className={styles.trigger} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="search" />
        <span>{texts.search}</span>
        <kbd>⌘K</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <PaletteDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
};
