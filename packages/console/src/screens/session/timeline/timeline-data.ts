import type { SessionMessage, Turn } from '@svc/api/data';
import type { ListStepsResponse, ListTurnsResponse } from '@svc/api/gateway';
import type { SessionKey } from '@svc/client';
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { usePages, useRead } from '../../../api/use-call.ts';
import { idAfter } from './id-after.ts';

/** Turns of a session, newest first. */
export const useTurns = (key: SessionKey): UseInfiniteQueryResult<{ readonly pages: readonly ListTurnsResponse[] }> =>
  usePages<ListTurnsResponse>({
    key: ['ListTurns', key],
    call: (client, pageToken, signal) =>
      client.sessionControl.listTurns({ ...key, pageSize: 100, pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: { topics: ['turn'] },
  });

/** Model calls of a turn. */
export const useSteps = (key: SessionKey, turnId: string): UseQueryResult<ListStepsResponse> =>
  useRead({
    key: ['ListSteps', key, turnId],
    call: (client, signal) => client.sessionControl.listSteps({ ...key, turnId }, { signal }),
    shows: { topics: ['turn', 'message'] },
  });

/** Messages of a page that surely hold the replies of one turn. */
const REPLIES = 50;

/** The replies of a turn that are finished; they hold its tools and questions. */
export const useReplies = (key: SessionKey, { id, replyMessageIds }: Turn): readonly SessionMessage[] => {
  const last = replyMessageIds.at(-1) ?? '';
  const found = useRead({
    key: ['replies', key, id, last],
    call: async (client, signal) => {
      const page = await client
        .session(key)
        .messages({ pageSize: REPLIES, beforeMessageId: idAfter(last) }, { signal });
      return page.items.flatMap(({ message }) => message ?? []);
    },
    shows: { topics: ['message'] },
    enabled: last !== '',
  });
  return (found.data ?? []).filter((message) => replyMessageIds.includes(message.id));
};
