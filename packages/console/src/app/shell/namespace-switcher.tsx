import { Popover } from '@base-ui/react/popover';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EVERYWHERE, useScope } from '../scope.ts';
import { texts } from '../texts.ts';
import styles from './namespace-switcher.module.css';

/** The namespace that the lists show, as a tree to choose another from. */
export const NamespaceSwitcher = (): ReactElement => {
  const { namespaces } = useAccess();
  const scope = useScope();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [filter, setFilter] = useState('');
  useKey({ keys: 'n', does: texts.namespace, run: () => setOpen(true) });
  const choose = (name: string): void => {
    setOpen(false);
    setFilter('');
    // Lists stay the same list; a single thing is in no other namespace.
    const [, section = '/agents'] = /^\/ns\/[^/]+(\/[^/]+)/.exec(pathname) ?? [];
    void navigate({ to: `/ns/${encodeURIComponent(name)}${section}` });
  };
  const rows = [{ name: EVERYWHERE, depth: 0 }, ...namespaces.rows].filter(({ name }) => name.includes(filter));
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={styles.trigger} aria-label={`${texts.namespace}: ${labelOf(scope)}`}>
        <span>{labelOf(scope)}</span>
        <Icon name="down" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className={styles.positioner}>
          <Popover.Popup className={styles.popup} aria-label={texts.namespace}>
            <TextField
              label={texts.filterNamespaces}
              isLabelHidden
              placeholder={texts.filterNamespaces}
              value={filter}
              onChange={setFilter}
              autoFocus
            />
            <ul>
              {rows.map(({ name, depth }) => (
                <li key={name}>
                  <button
                    type="button"
                    aria-current={name === scope}
                    style={{ paddingLeft: `${0.5 + (filter === '' ? depth : 0)}rem` }}
                    onClick={() => choose(name)}
                  >
                    {labelOf(name)}
                  </button>
                </li>
              ))}
            </ul>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
};

const labelOf = (name: string): string => (name === EVERYWHERE ? texts.everywhere : name);
