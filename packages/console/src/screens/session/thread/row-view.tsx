import type { PermissionRequest } from '@svc/api/data';
import type { SessionKey } from '@svc/client';
import type { ReactElement } from 'react';
import type { MenuItem } from '../../../ui/menu.tsx';
import { type ThreadRow, textIn } from '../conversation/index.ts';
import { MediaView } from '../media/index.ts';
import { ClosedRequest, OpenRequest } from '../request/index.ts';
import { MessageHead } from './message-head.tsx';
import { Review } from './review.tsx';
import { CompactionView, FailureView, ReasoningView, TextView, ToolView, UsageView } from './row-views.tsx';

interface RowViewProps {
  readonly row: ThreadRow;
  readonly session: SessionKey;
  /** What the active turn asks. */
  readonly requests: readonly PermissionRequest[];
  /** Actions of a message, for its head. */
  readonly items: readonly MenuItem[];
  readonly onChanged: () => void;
}

/** One piece of the thread. */
export const RowView = ({ row, session, requests, items, onChanged }: RowViewProps): ReactElement => {
  switch (row.kind) {
    case 'head':
      return <MessageHead ns={session.ns} agent={session.agent} message={row.message} items={items} />;
    case 'text':
      return <TextView message={row.message} part={row.part} />;
    case 'reasoning':
      return <ReasoningView part={row.part} isLive={row.message.isLive} />;
    case 'tool':
      return <ToolView call={row.call} result={row.result} isLive={row.message.isLive} />;
    case 'media':
      return <MediaView session={session} message={row.message} part={row.part} />;
    case 'error':
      return <FailureView part={row.part} />;
    case 'compaction':
      return <CompactionView part={row.part} />;
    case 'usage':
      return <UsageView usage={row.usage} />;
    case 'review':
      return <Review session={session} message={row.message} onDone={onChanged} />;
    case 'request': {
      const request = requests.find(({ id }) => id === textIn(row.part, 'request_id'));
      return request === undefined ? (
        <ClosedRequest part={row.part} answer={row.answer} />
      ) : (
        <OpenRequest session={session} request={request} />
      );
    }
  }
};
