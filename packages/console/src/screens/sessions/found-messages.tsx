import { MessageRole, type SessionHit } from '@svc/api/data';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { addresses } from '../../app/address.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useFoundMessages } from './find-data.ts';
import { texts } from './texts.ts';

const ROLES: Readonly<Partial<Record<MessageRole, string>>> = {
  [MessageRole.ROLE_USER]: texts.user,
  [MessageRole.ROLE_ASSISTANT]: texts.assistant,
};

const columns: readonly Column<SessionHit>[] = [
  { title: texts.message, cell: ({ snippet }) => <Snippet pieces={snippet} />, grow: 5 },
  { title: texts.from, cell: ({ role }) => ROLES[role], rem: 6, isMinor: true },
  { title: texts.agent, cell: ({ agent }) => agent },
  { title: texts.namespace, cell: ({ ns }) => ns, isMinor: true },
  { title: texts.time, cell: ({ createdAt }) => <Time at={createdAt} />, rem: 8, isNumber: true },
];

interface FoundMessagesProps {
  readonly ns: string;
  readonly agent: string;
  readonly query: string;
}

/** Messages of conversations with the words; a row opens the session at its message. */
export const FoundMessages = (asked: FoundMessagesProps): ReactElement => {
  const navigate = useNavigate();
  const found = useFoundMessages(asked);
  const hits = found.data?.pages.flatMap((page) => page.hits) ?? [];
  return (
    <>
      <Listing
        found={found}
        count={hits.length}
        empty={
          <Empty icon="search" title={found.hasNextPage ? texts.notFoundYet : texts.notFound}>
            <p>{texts.findHint}</p>
            <code>{`svc search "${asked.query}"`}</code>
          </Empty>
        }
      >
        <Table
          label={texts.found}
          rows={hits}
          columns={columns}
          keyOf={({ sessionId, messageId }) => `${sessionId} ${messageId}`}
          onOpen={(hit) => void navigate({ to: addresses.message(hit.ns, hit.agent, hit) })}
        />
      </Listing>
      {found.hasNextPage && (
        <div>
          <Button isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {texts.findFurther}
          </Button>
        </div>
      )}
    </>
  );
};
