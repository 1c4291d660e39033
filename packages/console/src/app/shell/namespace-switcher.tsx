import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactElement, Suspense, useRef, useState } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Icon } from '../../ui/icon.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { useScope } from '../scope.ts';
import { texts } from '../texts.ts';
import { labelOf } from './namespace-label.ts';
import styles from './namespace-switcher.module.css';

const NamespaceChoice = lazyPart(async () => (await import('./namespace-choice.tsx')).NamespaceChoice);

/** The namespace that the lists show, as a tree to choose another from. */
export const NamespaceSwitcher = (): ReactElement => {
  const scope = useScope();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useKey({ keys: 'n', does: texts.namespace, run: () => setOpen(true) });
  const choose = (name: string): void => {
    setOpen(false);
    // Lists stay the same list; a single thing is in no other namespace.
    const [, section = '/agents'] = /^\/ns\/[^/]+(\/[^/]+)/.exec(pathname) ?? [];
    void navigate({ to: `/ns/${encodeURIComponent(name)}${section}` });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.trigger}
        aria-label={`${texts.namespace}: ${labelOf(scope)}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{labelOf(scope)}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <Suspense>
          <NamespaceChoice anchor={button} scope={scope} onChoose={choose} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
};
