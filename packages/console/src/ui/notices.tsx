import { type ReactElement, useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import styles from './notices.module.css';

interface Notice {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 6_000;
const watchers = new Set<() => void>();
let notices: readonly Notice[] = [];
let last = 0;

const show = (next: readonly Notice[]): void => {
  notices = next;
  for (const changed of watchers) changed();
};

const remove = (id: number): void => show(notices.filter((notice) => notice.id !== id));

const watch = (changed: () => void): (() => void) => {
  watchers.add(changed);
  return () => watchers.delete(changed);
};

/** Says for a moment that something was done. Errors do not belong here: they stay where they happened (`Problem`). */
export const notify = (text: string): void => {
  last += 1;
  const id = last;
  show([...notices, { id, text }]);
  setTimeout(() => remove(id), SHOWN_MS);
};

/** Where notices appear; once in the page. */
export const Notices = (): ReactElement => {
  const shown = useSyncExternalStore(watch, () => notices);
  return (
    <div className={styles.notices} role="status">
      {shown.map(({ id, text }) => (
        <div key={id} className={styles.notice}>
          {text}
          <IconButton label="Close" icon="close" onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
};
