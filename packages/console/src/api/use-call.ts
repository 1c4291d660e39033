import { type Client, isSvcError } from '@svc/client';
import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { useClient } from '../access/access-context.ts';
import { keyOf, type Shows } from './freshness.ts';

/** A read: what it asks, and what its answer shows. */
export interface Read<T> {
  /** Names of the operation and everything that makes the answer another one. */
  readonly key: readonly unknown[];
  readonly call: (client: Client, signal: AbortSignal) => Promise<T>;
  readonly shows?: Shows;
  /** False while the question is not complete. */
  readonly enabled?: boolean;
  /** False where the answer to a former key must not be shown, or changed, under the name of the new one. True when left out. */
  readonly keepsFormer?: boolean;
}

/** The answer of a read, kept in the cache and loaded again when the live stream says that it is stale. */
export const useRead = <T>({
  key,
  call,
  shows = {},
  enabled = true,
  keepsFormer = true,
}: Read<T>): UseQueryResult<T> => {
  const client = useClient();
  const result = useQuery({
    queryKey: [keyOf(key)],
    queryFn: ({ signal }) => call(client, signal),
    meta: { shows },
    enabled,
    ...(keepsFormer && { placeholderData: keepPreviousData }),
  });
  return withoutLostConnection(result);
};

/**
 * What was loaded stays on the screen while the server cannot be reached: the line at the bottom says so, and the live stream loads it
 * again later.
 */
const withoutLostConnection = <R extends { readonly data: unknown; readonly error: Error | null }>(result: R): R =>
  result.data !== undefined && isSvcError(result.error) && result.error.code === 'UNAVAILABLE'
    ? { ...result, error: null }
    : result;

/** A list that comes in pages. */
export interface PagedRead<T> extends Omit<Read<T>, 'call' | 'keepsFormer'> {
  /** `pageToken` is '' for the first page. */
  readonly call: (client: Client, pageToken: string, signal: AbortSignal) => Promise<T>;
  readonly nextToken: (page: T) => string;
}

/** Pages of a list, as many as were asked for so far. */
export const usePages = <T>({
  key,
  call,
  nextToken,
  shows = {},
  enabled = true,
}: PagedRead<T>): UseInfiniteQueryResult<{ readonly pages: readonly T[] }> => {
  const client = useClient();
  const result = useInfiniteQuery({
    queryKey: [keyOf(key), 'pages'],
    queryFn: ({ signal, pageParam }) => call(client, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page: T) => nextToken(page) || undefined,
    meta: { shows },
    enabled,
    placeholderData: keepPreviousData,
  });
  // A page that is on its way already is waited for.
  return withoutLostConnection({ ...result, fetchNextPage: () => result.fetchNextPage({ cancelRefetch: false }) });
};

/** A write. Its error stays in `error` until the next try; when it succeeds, all answers that show `changes` are loaded again. */
export const useWrite = <I, T>(
  call: (client: Client, input: I) => Promise<T>,
  { changes, onDone }: { readonly changes?: Shows; readonly onDone?: (answer: T, input: I) => void } = {},
): UseMutationResult<T, Error, I> => {
  const client = useClient();
  const queries = useQueryClient();
  // What was drawn last is what a person writes: the options of a mutation follow the drawing a moment later.
  const drawn = useRef(call);
  useLayoutEffect(() => {
    drawn.current = call;
  });
  return useMutation({
    mutationFn: (input: I) => drawn.current(client, input),
    onSuccess: async (answer, input) => {
      onDone?.(answer, input);
      await queries.invalidateQueries({
        predicate: ({ meta }) => changes !== undefined && overlaps(changes, meta?.['shows']),
      });
    },
  });
};

const overlaps = (changes: Shows, shows: unknown): boolean => {
  const { kinds = [], topics = [] } = (shows ?? {}) as Shows;
  return kinds.some((kind) => changes.kinds?.includes(kind)) || topics.some((topic) => changes.topics?.includes(topic));
};
