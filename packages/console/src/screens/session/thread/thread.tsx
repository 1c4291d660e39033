import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import type { ThreadRow } from '../conversation/thread-rows.ts';
import { texts } from '../texts.ts';
import styles from './thread.module.css';

interface ThreadProps {
  readonly rows: readonly ThreadRow[];
  readonly render: (row: ThreadRow) => ReactNode;
  /** Loads what is before the first row. */
  readonly onStart: (() => void) | undefined;
  /** Message to begin at, else the end. */
  readonly messageId?: string | undefined;
}

/** Heights before a row was measured, in pixels. */
const GUESSES: Readonly<Record<ThreadRow['kind'], number>> = {
  head: 40,
  text: 64,
  reasoning: 32,
  tool: 44,
  request: 120,
  media: 60,
  usage: 28,
  error: 60,
  compaction: 32,
  review: 80,
};

/** This near to the end, in pixels, the thread follows it. */
const NEAR_PX = 48;

/**
 * The rows of a conversation, of which only the visible ones are in the page. It follows its end while the person is there; while they
 * read further up nothing moves, and what is new is counted.
 */
export const Thread = ({ rows, render, onStart, messageId }: ThreadProps): ReactElement => {
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<string>();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => GUESSES[rows[index]?.kind ?? 'text'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_PX,
    paddingStart: 8,
    paddingEnd: 16,
  });
  const begun = useRef(false);
  // Whoever shows the thread once more begins at its end again.
  useEffect(
    () => () => {
      begun.current = false;
    },
    [],
  );
  useLayoutEffect(() => {
    if (begun.current || rows.length === 0) return;
    begun.current = true;
    const at = messageId === undefined ? -1 : rows.findIndex(({ message }) => message.id === messageId);
    if (at === -1) virtual.scrollToEnd();
    else virtual.scrollToIndex(at, { align: 'start' });
  }, [rows, messageId, virtual]);
  const newest = rows.at(-1)?.message.id;
  const isAtEnd = useRef(true);
  // The field below grows and shrinks: whoever was at the end stays there.
  useEffect(() => {
    if (scroller.current === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) virtual.scrollToEnd();
    });
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [virtual]);
  const look = (): void => {
    isAtEnd.current = virtual.isAtEnd(NEAR_PX);
    if (isAtEnd.current) setSeen(newest);
    if ((scroller.current?.scrollTop ?? 0) < NEAR_PX && begun.current) onStart?.();
  };
  // After rows came or grew, the end may have been followed.
  useEffect(() => {
    if (virtual.isAtEnd(NEAR_PX)) setSeen(newest);
  }, [newest, virtual]);
  const fresh = freshMessages(rows, seen);
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div ref={scroller} className={styles.scroller} onScroll={look} tabIndex={0} role="log" aria-live="off" aria-label={texts.thread}>
        <div className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={String(key)}
                  ref={virtual.measureElement}
                  data-index={index}
                  className={styles.row}
                  data-role={row.message.role}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {render(row)}
                </div>
              )
            );
          })}
        </div>
      </div>
      {fresh > 0 && (
        <div className={styles.fresh}>
          <Button icon="down" onClick={() => virtual.scrollToEnd()}>
            {`${fresh} ${texts.newMessages}`}
          </Button>
        </div>
      )}
    </div>
  );
};

/** How many messages came after the newest that was seen. */
const freshMessages = (rows: readonly ThreadRow[], seen: string | undefined): number => {
  if (seen === undefined) return 0;
  let count = 0;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined || row.message.id <= seen) return count;
    if (row.kind === 'head') count += 1;
  }
  return count;
};
