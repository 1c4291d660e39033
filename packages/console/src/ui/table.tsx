import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, type ReactElement, type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { steadyRows } from './steady-rows.ts';
import styles from './table.module.css';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Share of the width, default 1. */
  readonly grow?: number;
  /** Fixed width in rem, instead of a share. */
  readonly rem?: number;
  readonly isNumber?: boolean;
  /** Left out where the table is narrow. */
  readonly isMinor?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** Opens a row: Enter, or a click on it. */
  readonly onOpen?: (row: T) => void;
  /** Key of the row whose details are open. */
  readonly openKey?: string | undefined;
  /** Loads more when the end comes into sight. */
  readonly onEnd?: (() => void) | undefined;
}

const ROW_PX = 36;

/** Widths of all columns, and of those that are left in a narrow table. */
const widthsOf = <T,>(columns: readonly Column<T>[]): CSSProperties => {
  const wide = columns.map(({ rem, grow = 1 }) => (rem ? `${rem}rem` : `minmax(0, ${grow}fr)`));
  const major = columns.filter(({ isMinor }) => !isMinor);
  const narrow = major.map(({ grow = 1 }) => `minmax(0, ${grow > 1 ? 5 : 3}fr)`);
  return { '--columns': wide.join(' '), '--narrow': narrow.join(' ') } as CSSProperties;
};

/**
 * Rows of one height, of which only the visible ones are in the page. Arrow keys move, Enter opens. New rows wait until the person
 * asks for them, so that nothing moves under the pointer.
 */
export const Table = <T,>(props: TableProps<T>): ReactElement => {
  const { label, columns, keyOf } = props;
  const [shown, setShown] = useState<readonly string[]>();
  const { rows, fresh } = steadyRows(props.rows, shown, keyOf);
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    onChange: ({ range }) => {
      if (range !== null && range.endIndex >= rows.length - 5) props.onEnd?.();
    },
  });
  const widths = widthsOf(columns);
  const move = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 15,
      PageUp: -15,
      j: 1,
      k: -1,
    };
    const step = steps[event.key];
    const row = rows[focused];
    if (event.key === 'Enter' && row !== undefined) props.onOpen?.(row);
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, focused + step));
    setFocused(next);
    virtual.scrollToIndex(next);
  };
  return (
    <div className={styles.frame}>
      {fresh > 0 && (
        <div className={styles.fresh}>
          <Button icon="up" onClick={() => setShown(undefined)}>{`${fresh} new`}</Button>
        </div>
      )}
      <div
        ref={scroller}
        className={styles.table}
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        tabIndex={0}
        onKeyDown={move}
        onPointerEnter={() => setShown((before) => before ?? rows.map(keyOf))}
        onPointerLeave={() => setShown(undefined)}
        onScroll={(event) => setShown(event.currentTarget.scrollTop > 0 ? (shown ?? rows.map(keyOf)) : undefined)}
      >
        <div className={styles.head} role="row" style={widths}>
          {columns.map((column) => (
            <div key={column.title} role="columnheader" className={cellClass(column)}>
              {column.title}
            </div>
          ))}
        </div>
        <div className={styles.body} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <Row
                key={keyOf(row)}
                {...props}
                row={row}
                index={index}
                isFocused={index === focused}
                style={{ ...widths, transform: `translateY(${start}px)` }}
                onFocus={() => setFocused(index)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
};

interface RowProps<T> extends TableProps<T> {
  readonly row: T;
  readonly index: number;
  readonly isFocused: boolean;
  readonly style: CSSProperties;
  readonly onFocus: () => void;
}

const Row = <T,>(props: RowProps<T>): ReactElement => {
  const { row, index, isFocused, style, onFocus, onOpen, columns } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid answers the keys for its focused row
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={props.keyOf(row) === props.openKey}
      className={classNames(styles.row, isFocused && styles.focused, onOpen && styles.opens)}
      style={style}
      onClick={() => {
        onFocus();
        onOpen?.(row);
      }}
    >
      {columns.map((column) => (
        <div key={column.title} role="gridcell" className={cellClass(column)}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
};

const cellClass = <T,>({ isNumber, isMinor }: Column<T>): string =>
  classNames(styles.cell, isNumber && styles.number, isMinor && styles.minor);
