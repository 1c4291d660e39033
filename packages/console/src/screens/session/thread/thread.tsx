import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import type { ThreadRow } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import styles from '../thread.module.css';
import { NEAR_PX, useThreadScroll } from './use-thread-scroll.ts';

interface ThreadProps {
  readonly rows: readonly ThreadRow[];
  readonly render: (row: ThreadRow) => ReactNode;
  /** Loads what is before the first row. */
  readonly onStart: (() => void) | undefined;
  /** Message to begin at, else the end. */
  readonly messageId?: string | undefined;
  /** Each other value brings the end into sight: the person has sent something. */
  readonly sent: number;
}

/** Heights before a row was measured, in pixels. */
const GUESSES: Readonly<Record<ThreadRow['kind'], number>> = {
  head: 40,
  text: 64,
  reasoning: 42,
  tool: 42,
  request: 120,
  media: 60,
  usage: 28,
  error: 60,
  compaction: 42,
  review: 80,
};
const PADDING_START = 8;
const PADDING_END = 16;

const guessOf = (row: ThreadRow | undefined): number => GUESSES[row?.kind ?? 'text'];

/** Where the end of the rows will be about, so that those at the start are not drawn before. */
const offsetOfEnd = (rows: readonly ThreadRow[]): number =>
  Math.max(0, rows.reduce((sum, row) => sum + guessOf(row), PADDING_START + PADDING_END) - innerHeight);

/**
 * The rows of a conversation, of which only the visible ones are in the page. It follows its end while the person is there; while they
 * read further up nothing moves, and what is new is counted.
 */
export const Thread = ({ rows, render, onStart, messageId, sent }: ThreadProps): ReactElement => {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    initialOffset: () => (messageId === undefined ? offsetOfEnd(rows) : 0),
    estimateSize: (index) => guessOf(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_PX,
    paddingStart: PADDING_START,
    paddingEnd: PADDING_END,
  });
  const { look, fresh } = useThreadScroll({ rows, scroller, virtual, messageId, onStart, sent });
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        onScroll={look}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={texts.thread}
      >
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
