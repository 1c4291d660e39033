import type { ReactElement } from 'react';
import { notify } from '../../ui/notices.tsx';
import { HeldDetail } from './held-detail.tsx';
import type { InboxItem, RequestItem, StepItem } from './inbox-item.ts';
import { RequestDetail } from './request-detail.tsx';
import { StepDetail } from './step-detail.tsx';
import { TaskDetail } from './task-detail.tsx';
import { texts } from './texts.ts';

interface ItemDetailProps {
  readonly item: InboxItem;
  /** Those that one answer can be given to, `item` first. */
  readonly equal: readonly InboxItem[];
  /** These are answered. */
  readonly onDone: (done: readonly InboxItem[]) => void;
}

/** One thing that waits: enough to decide, and the ways to answer. */
export const ItemDetail = ({ item, equal, onDone }: ItemDetailProps): ReactElement => {
  const done = (count: number): void => {
    notify(texts.answered(count));
    onDone(equal.slice(0, count));
  };
  switch (item.type) {
    case 'request':
      return <RequestDetail item={item} equal={equal.filter(isRequest)} onDone={done} />;
    case 'step':
      return <StepDetail item={item} equal={equal.filter(isStep)} onDone={done} />;
    case 'held':
      return <HeldDetail item={item} onDone={() => done(1)} />;
    case 'task':
      return <TaskDetail item={item} onDone={() => done(1)} />;
    default:
      return item satisfies never;
  }
};

const isRequest = (item: InboxItem): item is RequestItem => item.type === 'request';
const isStep = (item: InboxItem): item is StepItem => item.type === 'step';
