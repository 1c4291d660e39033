import { Popover } from '@base-ui/react/popover';
import { type ReactElement, type RefObject, useState } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { TextField } from '../../ui/field.tsx';
import { EVERYWHERE } from '../scope.ts';
import { texts } from '../texts.ts';
import { labelOf } from './namespace-label.ts';
import styles from './namespace-switcher.module.css';

interface NamespaceChoiceProps {
  /** The button that it hangs from, which opens and closes it by itself. */
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly scope: string;
  readonly onChoose: (name: string) => void;
  readonly onClose: () => void;
}

/** The tree of namespaces while it is open. */
export const NamespaceChoice = ({ anchor, scope, onChoose, onClose }: NamespaceChoiceProps): ReactElement => {
  const { namespaces } = useAccess();
  const [filter, setFilter] = useState('');
  const rows = [{ name: EVERYWHERE, depth: 0 }, ...namespaces.rows].filter(({ name }) => name.includes(filter));
  const isOfAnchor = ({ target }: Event): boolean =>
    target instanceof Node && anchor.current?.contains(target) === true;
  return (
    <Popover.Root open onOpenChange={(isOpen, { event }) => !isOpen && !isOfAnchor(event) && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={4} align="start" className={styles.positioner}>
          <Popover.Popup className={styles.popup} aria-label={texts.namespace} finalFocus={anchor}>
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
                    onClick={() => onChoose(name)}
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
