import { type KeyboardEvent, type ReactElement, type RefObject, useId, useState } from 'react';
import { classNames } from '../../ui/class-names.ts';
import styles from './channel.module.css';
import { completed, fitting, openMention } from './mention.ts';
import { texts } from './texts.ts';

interface MentionFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Enter without Shift. */
  readonly onSend: () => void;
  /** Names that can be mentioned. */
  readonly names: readonly string[];
  readonly isReadOnly: boolean;
}

const SHOWN = 6;

/** Lines of text in which `@` offers names: arrows choose, Enter or Tab takes one, Escape leaves it. */
export const MentionField = (props: MentionFieldProps): ReactElement => {
  const { field, text, onChange, onSend, names, isReadOnly } = props;
  const [cursor, setCursor] = useState(0);
  const [moved, setMoved] = useState(0);
  const [isOffering, setOffering] = useState(true);
  const listId = useId();
  const mention = isOffering ? openMention(text, cursor) : undefined;
  const offered = mention === undefined ? [] : fitting(names, mention).slice(0, SHOWN);
  const marked = offered.length === 0 ? undefined : moved % offered.length;
  const complete = (name: string): void => {
    if (mention === undefined) return;
    const next = completed(text, mention, name);
    onChange(next.text);
    setCursor(next.cursor);
    field.current?.focus();
    requestAnimationFrame(() => field.current?.setSelectionRange(next.cursor, next.cursor));
  };
  const chosen = marked === undefined ? undefined : offered[marked];
  return (
    <>
      {chosen !== undefined && <Offers id={listId} names={offered} chosen={chosen} onChoose={complete} />}
      <textarea
        ref={field}
        className={styles.input}
        rows={2}
        value={text}
        placeholder={isReadOnly ? texts.closed : texts.writeHint}
        aria-label={texts.write}
        aria-controls={chosen === undefined ? undefined : listId}
        aria-activedescendant={chosen === undefined ? undefined : `${listId}-${chosen}`}
        readOnly={isReadOnly}
        onChange={({ target }) => {
          onChange(target.value);
          setCursor(target.selectionStart);
          setMoved(0);
          setOffering(true);
        }}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onKeyDown={(event) => {
          const act = actionOf(event, chosen !== undefined);
          if (act === undefined) return;
          event.preventDefault();
          if (act === 'send') onSend();
          else if (act === 'leave') setOffering(false);
          else if (act === 'take') complete(chosen ?? '');
          else setMoved(moved + (act === 'next' ? 1 : offered.length - 1));
        }}
      />
    </>
  );
};

type Act = 'send' | 'take' | 'next' | 'previous' | 'leave';

const WHILE_CHOOSING: Readonly<Record<string, Act>> = {
  Enter: 'take',
  Tab: 'take',
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Escape: 'leave',
};

const actionOf = ({ key, shiftKey, nativeEvent }: KeyboardEvent, isChoosing: boolean): Act | undefined => {
  if (nativeEvent.isComposing) return undefined;
  if (isChoosing) return WHILE_CHOOSING[key];
  return key === 'Enter' && !shiftKey ? 'send' : undefined;
};

interface OffersProps {
  readonly id: string;
  readonly names: readonly string[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

const Offers = ({ id, names, chosen, onChoose }: OffersProps): ReactElement => (
  <div id={id} className={styles.offers} role="listbox" aria-label={texts.mentions}>
    {names.map((name) => (
      <div
        key={name}
        id={`${id}-${name}`}
        role="option"
        tabIndex={-1}
        aria-selected={name === chosen}
        className={classNames(name === chosen && styles.marked)}
        // Before the click takes the focus out of the field.
        onPointerDown={(event) => {
          event.preventDefault();
          onChoose(name);
        }}
      >
        @{name}
      </div>
    ))}
  </div>
);
