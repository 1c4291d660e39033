import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from './flow.module.css';
import type { FlowStep } from './read-spec.ts';
import { iconOfType, type StepLook } from './step-look.ts';

interface StepListProps {
  readonly label: string;
  readonly steps: readonly FlowStep[];
  readonly looks: ReadonlyMap<string, StepLook>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
const ROW_PX = 46;

/** The steps in the order of the text, of which only those in sight are in the page. Arrow keys move, Enter chooses. */
export const StepList = ({ label, steps, looks, selected, onSelect }: StepListProps): ReactElement | null => {
  const scroller = useRef<HTMLDivElement>(null);
  /** The step with the focus. */
  const [focused, setFocused] = useState<number>();
  const isMoving = useRef(false);
  const chosen = steps.findIndex(({ id }) => id === selected);
  /** The one step that Tab reaches: it stays in the page wherever the list is scrolled to. */
  const reached = Math.min(focused ?? Math.max(0, chosen), steps.length - 1);
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    rangeExtractor: (range) => [...new Set(defaultRangeExtractor(range)).add(reached)].sort((one, two) => one - two),
  });
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${reached}"] button`)?.focus();
  }, [reached]);
  const move = (event: KeyboardEvent): void => {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(steps.length - 1, reached + by));
    isMoving.current = next !== reached;
    setFocused(next);
    virtual.scrollToIndex(next);
  };
  if (steps.length === 0) return null;
  return (
    <div ref={scroller} className={styles.list}>
      <ul
        aria-label={label}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={move}
        onBlur={() => !isMoving.current && setFocused(undefined)}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const step = steps[index];
          if (step === undefined) return null;
          return (
            <li
              key={String(key)}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={steps.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <StepButton
                step={step}
                look={looks.get(step.id)}
                isSelected={step.id === selected}
                isReached={index === reached}
                onFocus={() => setFocused(index)}
                onSelect={onSelect}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
};

interface StepButtonProps {
  readonly step: FlowStep;
  readonly look: StepLook | undefined;
  readonly isSelected: boolean;
  /** Tab comes to this one. */
  readonly isReached: boolean;
  readonly onFocus: () => void;
  readonly onSelect: (id: string) => void;
}

const StepButton = (props: StepButtonProps): ReactElement => {
  const { step, look, isSelected, isReached, onFocus, onSelect } = props;
  const { id, type, does } = step;
  return (
    <button
      type="button"
      aria-current={isSelected}
      tabIndex={isReached ? 0 : -1}
      onFocus={onFocus}
      onClick={() => onSelect(id)}
    >
      <Icon name={iconOfType(type)} />
      <span className={styles.names}>
        <strong>{id || 'no id'}</strong>
        <span>{look?.note || does || type}</span>
      </span>
      {look && <Badge tone={look.tone}>{look.word}</Badge>}
    </button>
  );
};
