import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { useAccess } from '../../../access/access-context.ts';
import { plainClientFor } from '../../../api/client.ts';
import { contentPath, type PartPlace } from './media-rules.ts';

/** How long a picture that is out of sight is kept, so that scrolling back loads nothing. */
const KEPT_MS = 60_000;

type Load = (signal?: AbortSignal) => Promise<ArrayBuffer>;

const useLoad = (place: PartPlace): Load => {
  const { credential } = useAccess();
  return async (signal) => {
    const answer = await plainClientFor(credential).open({ verb: 'GET', path: contentPath(place), signal });
    return answer.arrayBuffer();
  };
};

/** The bytes of a part, once they are wanted. They never change. */
export const usePartContent = (place: PartPlace, isWanted: boolean): UseQueryResult<ArrayBuffer> => {
  const load = useLoad(place);
  return useQuery({
    queryKey: ['part content', contentPath(place)],
    queryFn: ({ signal }) => load(signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  });
};

/** Loads the bytes of a part and hands them on, each time it is asked to. */
export const useDownload = (
  place: PartPlace,
  onLoaded: (bytes: ArrayBuffer) => void,
): UseMutationResult<ArrayBuffer, Error, void> => {
  const load = useLoad(place);
  return useMutation({ mutationFn: () => load(), onSuccess: onLoaded });
};
