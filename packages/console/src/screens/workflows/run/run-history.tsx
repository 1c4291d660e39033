import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useRef } from 'react';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Time } from '../../../ui/time.tsx';
import { texts } from '../texts.ts';
import styles from '../workflows.module.css';
import { type RunAddress, useRunEvents } from './run-data.ts';

const ROW_PX = 30;

/** What happened in a run, oldest first; only the lines in sight are in the page. */
export const RunHistory = ({ address }: { readonly address: RunAddress }): ReactElement => {
  const { events, error } = useRunEvents(address);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => events[index]?.id ?? index,
    overscan: 8,
  });
  return (
    <Section title={texts.history}>
      {error && <Problem error={error} />}
      <section
        ref={scroller}
        className={styles.historyBox}
        aria-label={texts.history}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <ol className={styles.history} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const event = events[index];
            if (event === undefined) return null;
            const { timestamp, type, stepId, message } = event;
            return (
              <li
                key={String(key)}
                ref={virtual.measureElement}
                data-index={index}
                aria-setsize={events.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Time at={timestamp} />
                <span>{type.replaceAll('_', ' ')}</span>
                <span>{stepId}</span>
                <span title={message}>{message}</span>
              </li>
            );
          })}
        </ol>
      </section>
    </Section>
  );
};
