import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ThreadRow } from '../conversation/thread-rows.ts';
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
  // Whoever shows the thread once more begins at its end again.
  useEffect(
    () => () => {
      hasBegun.current = false;
    },
    [],
  );
  useLayoutEffect(() => {
    if (hasBegun.current || rows.length === 0) return;
    hasBegun.current = true;
    const at = messageId === undefined ? -1 : rows.findIndex(({ message }) => message.id === messageId);
    if (at === -1) virtual.scrollToEnd();
    else virtual.scrollToIndex(at, { align: 'start' });
  }, [rows, messageId, virtual]);
  const sentBefore = useRef(sent);
  useLayoutEffect(() => {
    if (sentBefore.current !== sent) virtual.scrollToEnd();
    sentBefore.current = sent;
  }, [sent, virtual]);
  // The field below grows and shrinks: whoever was at the end stays there.
  useEffect(() => {
    if (scroller.current === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) virtual.scrollToEnd();
    });
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [scroller, virtual]);
  const look = (): void => {
    isAtEnd.current = virtual.isAtEnd(NEAR_PX);
    if (isAtEnd.current) setSeen(newest);
    if ((scroller.current?.scrollTop ?? 0) < NEAR_PX && hasBegun.current) onStart?.();
  };
  // After rows came or grew, the end may have been followed.
  useEffect(() => {
    if (virtual.isAtEnd(NEAR_PX)) setSeen(newest);
  }, [newest, virtual]);
  return { look, fresh: freshMessages(rows, seen) };
};
