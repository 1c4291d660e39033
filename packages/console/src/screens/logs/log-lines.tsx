import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { JsonView, parsedOrText } from '../../ui/json-view.tsx';
import type { KeptLine } from './log-buffer.ts';
import styles from './logs.module.css';
import { texts } from './texts.ts';

const LINE_PX = 22;
/** Lines in the page above and below those in sight. */
const OVERSCAN = 8;

interface LogLinesProps {
  readonly lines: readonly KeptLine[];
  /** The lines stand still. */
  readonly isHeld: boolean;
}

/** Lines of which only the visible ones are in the page. They follow the newest until the person scrolls up. */
export const LogLines = ({ lines, isHeld }: LogLinesProps): ReactElement => {
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const [openId, setOpenId] = useState<string>();
  const lastTop = useRef(0);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: OVERSCAN,
  });
  // Rows are used again for other lines, which takes less of a frame than new ones. Their number follows the height alone.
  const rows = Math.ceil((virtual.scrollRect?.height ?? 0) / LINE_PX) + 1 + 2 * OVERSCAN;
  useEffect(() => {
    if (isFollowing && !isHeld && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [lines, isFollowing, isHeld, virtual]);
  const open = useMemo(
    () => (openId === undefined ? undefined : lines.find(({ id }) => id === openId)),
    [lines, openId],
  );
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = lines.findIndex(({ id }) => id === openId);
    const next = at === -1 ? lines.length - 1 : Math.max(0, Math.min(lines.length - 1, at + by));
    setIsFollowing(false);
    setOpenId(lines[next]?.id);
    virtual.scrollToIndex(next);
  };
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.lines}
        role="log"
        aria-live="off"
        aria-label={texts.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onKeyDown={move}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          // Lines that came since the scroll was asked for lie below it: only who goes up leaves the end.
          const isAtEnd = scrollTop + clientHeight >= scrollHeight - 2 * LINE_PX;
          if (isAtEnd || scrollTop < lastTop.current) setIsFollowing(isAtEnd);
          lastTop.current = scrollTop;
        }}
      >
        <div className={styles.inner} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            return (
              line && <Line key={index % rows} line={line} top={start} isOpen={line.id === openId} onOpen={setOpenId} />
            );
          })}
        </div>
      </div>
      {!isFollowing && !isHeld && (
        <div className={styles.latest}>
          <Button icon="down" onClick={() => setIsFollowing(true)}>
            {texts.latest}
          </Button>
        </div>
      )}
      {open && (
        <section className={styles.details} aria-label={texts.details}>
          <div>
            <strong>{open.message}</strong>
            <IconButton label={texts.closeDetails} icon="close" onClick={() => setOpenId(undefined)} />
          </div>
          <JsonView value={parsedOrText(open.fieldsJson)} />
        </section>
      )}
    </div>
  );
};

interface LineProps {
  readonly line: KeptLine;
  /** Pixels above it. */
  readonly top: number;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

const Line = memo(
  ({ line, top, isOpen, onOpen }: LineProps): ReactElement => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list answers the arrow keys
    // biome-ignore lint/a11y/noStaticElementInteractions: likewise
    <div
      className={classNames(styles.line, isOpen && styles.open)}
      data-level={line.level}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onOpen(line.id)}
    >
      <span>{timeOf(line)}</span> <b>{line.level}</b> <span>{line.message}</span>{' '}
      <i>{line.fieldsJson === '{}' ? '' : line.fieldsJson}</i>
    </div>
  ),
);

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Time of day with milliseconds. */
const timeOf = ({ timestamp }: KeptLine): string => {
  const ms = Number(timestamp / 1_000n);
  return `${clock.format(ms)}.${String(ms % 1_000).padStart(3, '0')}`;
};
