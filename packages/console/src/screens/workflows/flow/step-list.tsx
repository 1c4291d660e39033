import { type KeyboardEvent, type ReactElement, useRef } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './flow.module.css';
import type { FlowStep } from './read-flow.ts';
import { iconOfType, type StepLook } from './step-look.ts';

interface StepListProps {
  readonly label: string;
  readonly steps: readonly FlowStep[];
  readonly looks: ReadonlyMap<string, StepLook>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** The steps in the order of the text. Arrow keys move, Enter chooses. */
export const StepList = ({ label, steps, looks, selected, onSelect }: StepListProps): ReactElement => {
  const list = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent): void => {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button.matches(':focus'));
    buttons[Math.max(0, Math.min(buttons.length - 1, at + by))]?.focus();
  };
  const firstKey = steps.some(({ id }) => id === selected) ? selected : steps[0]?.id;
  return (
    <ul ref={list} className={styles.list} aria-label={label} onKeyDown={move}>
      {steps.map(({ id, type, does }, index) => {
        const look = looks.get(id);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: while a text is written, ids can be empty or double
          <li key={`${index} ${id}`}>
            <button
              type="button"
              aria-current={id === selected}
              tabIndex={id === firstKey ? 0 : -1}
              onClick={() => onSelect(id)}
            >
              <Icon name={iconOfType(type)} />
              <span className={styles.names}>
                <strong>{id || 'no id'}</strong>
                <span>{look?.note || does || type}</span>
              </span>
              {look && <Badge tone={look.tone}>{look.word}</Badge>}
            </button>
          </li>
        );
      })}
    </ul>
  );
};
