import { type ReactElement, useEffect, useRef } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { Time } from '../../ui/time.tsx';
import styles from './inbox.module.css';
import type { InboxItem } from './inbox-item.ts';
import { kindNames, texts } from './texts.ts';

interface ItemListProps {
  readonly items: readonly InboxItem[];
  readonly openKey: string | undefined;
  readonly onOpen: (key: string) => void;
}

/** What waits, one line for each. */
export const ItemList = ({ items, openKey, onOpen }: ItemListProps): ReactElement => (
  <ul className={styles.items} aria-label={texts.list}>
    {items.map((item) => (
      <Row key={item.key} item={item} isOpen={item.key === openKey} onOpen={() => onOpen(item.key)} />
    ))}
  </ul>
);

interface RowProps {
  readonly item: InboxItem;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

const Row = ({ item, isOpen, onOpen }: RowProps): ReactElement => {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li>
      <button
        ref={button}
        type="button"
        className={classNames(styles.item, isOpen && styles.openItem)}
        aria-current={isOpen}
        onClick={onOpen}
      >
        <span className={styles.itemHead}>
          <span className={styles.kind}>{kindNames[item.kind]}</span>
          <Time at={item.at} />
        </span>
        <span className={styles.itemTitle}>{item.title}</span>
        <span className={styles.itemFoot}>{footOf(item)}</span>
      </button>
    </li>
  );
};

/** Where it comes from, and the arguments that the decision is about. */
const footOf = (item: InboxItem): string => {
  const place = item.who === '' ? item.ns : `${item.who} in ${item.ns}`;
  return item.kind === 'permission' && item.type === 'request' ? `${place} · ${item.request.inputJson}` : place;
};
