import type { ApiKey, Grant } from '@svc/api/data';
import type { CreateApiKeyResponse, ListApiKeysResponse, RevokeApiKeyResponse } from '@svc/api/gateway';
import type { UseInfiniteQueryResult, UseMutationResult } from '@tanstack/react-query';
import { usePages, useWrite } from '../../api/use-call.ts';

/** Keys change only here and by other people's hands: no event tells of them, so that the topic is one of this page alone. */
const KEYS = { topics: ['api-keys'] } as const;

export const useApiKeys = (
  includeRevoked: boolean,
): UseInfiniteQueryResult<{ readonly pages: readonly ListApiKeysResponse[] }> =>
  usePages({
    key: ['ListApiKeys', includeRevoked],
    call: (client, pageToken, signal) => client.auth.listApiKeys({ includeRevoked, pageToken }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: KEYS,
  });

/** What a new key is made of. */
export interface NewKey {
  readonly name: string;
  readonly grants: readonly (Pick<Grant, 'role' | 'readSecrets'> & Partial<Grant>)[];
  /** Unix microseconds. */
  readonly expiresAt: bigint | undefined;
}

export const useCreateKey = (): UseMutationResult<CreateApiKeyResponse, Error, NewKey> =>
  useWrite(
    (client, { name, grants, expiresAt }) =>
      client.auth.createApiKey({
        name,
        grants: grants.map(({ $typeName: _, ...grant }) => grant),
        ...(expiresAt !== undefined && { expiresAt }),
      }),
    { changes: KEYS },
  );

export const useRevokeKey = (): UseMutationResult<RevokeApiKeyResponse, Error, ApiKey> =>
  useWrite((client, { id }) => client.auth.revokeApiKey({ id }), { changes: KEYS });
