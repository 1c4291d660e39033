import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ThreadRow } from '../conversation/index.ts';
import { freshMessages } from './fresh-messages.ts';

/** This near to the end, in pixels, a thread follows it. */
export const NEAR_PX = 48;

interface ThreadScroll {
  readonly rows: readonly ThreadRow[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
  /** Message to begin at, else the end. */
  readonly messageId: string | undefined;
  /** Loads what is before the first row. */
  readonly onStart: (() => void) | undefined;
  /** Each other value brings the end into sight. */
  readonly sent: number;
}

/** Where a thread begins, that it stays at its end, and how many messages came below what is seen. */
export const useThreadScroll = (given: ThreadScroll): { readonly look: () => void; readonly fresh: number } => {
  const { rows, scroller, virtual, messageId, onStart, sent } = given;
  const [seen, setSeen] = useState<string>();
  const hasBegun = useRef(false);
  const isAtEnd = useRef(true);
  const newest = rows.at(-1)?.message.id;
  // A thread that is shown once more begins at its end again.
  useEffect(
    () => () => {
      hasBegun.current = false;
    },
    [],
  );
  useLayoutEffect(() => {
    if (hasBegun.current || rows.length === 0) return;
    const at = messageId === undefined ? -1 : rows.findIndex(({ message }) => message.id === messageId);
    isAtEnd.current = at === -1;
    if (at === -1 && messageId !== undefined && onStart !== undefined && messageId < (rows[0]?.message.id ?? ''))
      return onStart();
    hasBegun.current = true;
    if (at === -1) virtual.scrollToEnd();
    else virtual.scrollToIndex(at, { align: 'start' });
  }, [rows, messageId, virtual, onStart]);
  const sentBefore = useRef(sent);
  useLayoutEffect(() => {
    if (sentBefore.current !== sent) virtual.scrollToEnd();
    sentBefore.current = sent;
  }, [sent, virtual]);
  // The field below grows and shrinks: a reader who was at the end stays there.
  useEffect(() => {
    if (scroller.current === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) virtual.scrollToEnd();
    });
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [scroller, virtual]);
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows every change of the height
  useLayoutEffect(() => {
    if (isAtEnd.current) virtual.scrollToEnd();
  }, [height, virtual]);
  const hasMore = onStart !== undefined;
  // What does not fill its place cannot be scrolled to its start.
  // biome-ignore lint/correctness/useExhaustiveDependencies: likewise, and tries no more where nothing came
  useEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
    if (hasMore && hasBegun.current && scrollHeight <= clientHeight) onStart();
  }, [height, hasMore, scroller]);
  const look = (): void => {
    // The page itself is asked: the virtualizer may hear of a scroll after this.
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
    if (isAtEnd.current) setSeen(newest);
    if (scrollTop < NEAR_PX && hasBegun.current) onStart?.();
  };
  // After rows came or grew, the end may have been followed.
  useEffect(() => {
    if (isAtEnd.current) setSeen(newest);
  }, [newest]);
  return { look, fresh: freshMessages(rows, seen) };
};
