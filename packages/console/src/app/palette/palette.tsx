import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useKey } from '../../keys/use-keys.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { texts } from '../texts.ts';
import styles from './palette.module.css';
import { useConversationHits } from './use-conversation-hits.ts';
import { type Hit, useHits } from './use-hits.ts';

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
      {/* In a narrow window the navigation around the button is hidden, and with it all that is in it. */}
      {isOpen && createPortal(<PaletteDialog onClose={() => setOpen(false)} />, document.body)}
    </>
  );
};

/** A dialog of the browser: it is there at once, for what is typed right after its key. */
const PaletteDialog = ({ onClose }: { readonly onClose: () => void }): ReactElement => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      className={styles.popup}
      aria-label={texts.search}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <Finder onDone={close} />
    </dialog>
  );
};

const Finder = ({ onDone }: { readonly onDone: () => void }): ReactElement => {
  const id = useId();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const names = useHits(text);
  const conversations = useConversationHits(text);
  const hits = [...names, ...conversations.hits];
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
        <Group title={texts.names} hits={names} first={0} id={id} chosen={chosen} go={go} />
        <Group
          title={texts.conversations}
          hits={conversations.hits}
          first={names.length}
          id={id}
          chosen={chosen}
          go={go}
        />
      </div>
      {conversations.isLoading && <Loading label={texts.searching} />}
      {conversations.error && <Problem error={conversations.error} onRetry={conversations.retry} />}
    </>
  );
};

interface GroupProps {
  readonly title: string;
  readonly hits: readonly Hit[];
  /** Place of its first hit among all. */
  readonly first: number;
  readonly id: string;
  /** Place of the hit that Enter opens. */
  readonly chosen: number;
  readonly go: (hit: Hit) => void;
}

const Group = ({ title, hits, first, id, chosen, go }: GroupProps): ReactElement | null => {
  if (hits.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: options of a list box are grouped by role
    <div role="group" aria-labelledby={`${id}-group-${first}`}>
      <div id={`${id}-group-${first}`} className={styles.group}>
        {title}
      </div>
      {hits.map((hit, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above answers the keys
        <div
          key={hit.to}
          id={`${id}-${first + index}`}
          role="option"
          aria-selected={first + index === chosen}
          tabIndex={-1}
          onClick={() => go(hit)}
        >
          <Icon name={hit.icon} />
          {hit.pieces === undefined ? <span>{hit.title}</span> : <Snippet pieces={hit.pieces} />}
          <small>{hit.kind}</small>
        </div>
      ))}
    </div>
  );
};
