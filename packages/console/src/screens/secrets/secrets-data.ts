import { toJsonString } from '@bufbuild/protobuf';
import { type Resource, ResourceSpecSchema, type SecretSpec } from '@svc/api/resources';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useAccess } from '../../access/access-context.ts';
import { useRead, useWrite } from '../../api/use-call.ts';
import { addressOfResource, keptMetadata } from '../resources/index.ts';
import { namesSecret } from './secret-value.ts';

export const secretSpec = ({ spec }: Resource): SecretSpec | undefined =>
  spec?.kind.case === 'secret' ? spec.kind.value : undefined;

/** Whether the person may see values of secrets in the namespace. */
export const useMayReveal = (ns: string): boolean => {
  const { whoAmI, namespaces } = useAccess();
  return whoAmI.grants.some(
    ({ readSecrets, namespace, agent, channel }) =>
      readSecrets &&
      agent === undefined &&
      channel === undefined &&
      (namespace === undefined || namespace === ns || namespaces.ancestorsOf(ns).includes(namespace)),
  );
};

/** The values of a secret, base64 by key. Each call is written into the audit log. */
export const useReveal = (secret: Resource): UseMutationResult<Readonly<Record<string, string>>, Error, void> =>
  useWrite<void, Readonly<Record<string, string>>>(async (client) => {
    const { resource } = await client.resources.getResource(addressOfResource(secret));
    return (resource && secretSpec(resource)?.data) ?? {};
  });

/** A new value in base64 of a key; undefined removes the key. */
export interface KeyChange {
  readonly key: string;
  readonly value: string | undefined;
}

/** Changes one key. The others are sent empty, which keeps their stored values. */
export const useChangeKey = (
  secret: Resource,
  onDone: (change: KeyChange) => void,
): UseMutationResult<unknown, Error, KeyChange> =>
  useWrite<KeyChange, unknown>(
    (client, { key, value }) => {
      const { apiVersion, kind } = secret;
      const { type = '', data = {} } = secretSpec(secret) ?? {};
      const others = Object.keys(data)
        .filter((other) => other !== key)
        .map((other) => [other, ''] as const);
      const changed = Object.fromEntries(value === undefined ? others : [...others, [key, value] as const]);
      const metadata = keptMetadata(secret.metadata);
      const spec = { kind: { case: 'secret' as const, value: { type, data: changed } } };
      return client.resources.applyResource({
        ...addressOfResource(secret),
        manifest: { apiVersion, kind, metadata, spec },
      });
    },
    { changes: { kinds: ['Secret'] }, onDone: (_answer, change) => onDone(change) },
  );

const SEARCHED_PAGES = 20;

/** Resources of the namespace and of those below it whose specs name the secret; of the first 4,000. */
export const useSecretUses = (ns: string, name: string): UseQueryResult<readonly Resource[]> =>
  useRead({
    key: ['uses of secret', ns, name],
    call: async (client, signal) => {
      const found: Resource[] = [];
      let pageToken = '';
      for (let page = 0; page < SEARCHED_PAGES; page++) {
        const answer = await client.resources.listResources(
          { ns, recursive: true, pageSize: 200, pageToken },
          { signal },
        );
        found.push(
          ...answer.resources.filter(({ spec }) => spec && namesSecret(toJsonString(ResourceSpecSchema, spec), name)),
        );
        pageToken = answer.nextPageToken;
        if (pageToken === '') break;
      }
      return found;
    },
    shows: { kinds: ['McpServer', 'McpServerBinding', 'Agent', 'ConnectorClass', 'SandboxClass'] },
  });
