import type { Resource } from '@svc/api/resources';
import { inNamespacesWith } from '../../api/namespaces-with.ts';
import { usePages, useRead, useWrite } from '../../api/use-call.ts';
import { EVERYWHERE } from '../../app/scope.ts';

/** Classes or connectors of a namespace, or of all. */
export const useList = (kind: 'ConnectorClass' | 'Connector', ns: string) =>
  useRead({
    key: ['connectors', kind, ns],
    call: async (client, signal) => (await client.resources.listResources({ ns, kind }, { signal })).resources,
    shows: { kinds: [kind] },
  });

/** Makes svc register with the service of a class again: any new value of the annotation does. */
export const useRegisterAgain = (onDone: () => void) =>
  useWrite(
    async (client, { metadata }: Resource) => {
      const named = { kind: 'ConnectorClass', ns: metadata?.namespace ?? '', name: metadata?.name ?? '' };
      const { resource } = await client.resources.getResource(named);
      const current = resource?.metadata;
      return client.resources.applyResource({
        ...named,
        manifest: {
          kind: named.kind,
          ...(current && {
            metadata: {
              ...current,
              annotations: { ...current.annotations, 'option.svc/reregister': String(Date.now()) },
            },
          }),
          ...(resource?.spec && { spec: resource.spec }),
        },
      });
    },
    { changes: { kinds: ['ConnectorClass'] }, onDone },
  );

/** Deliveries, newest first; of all namespaces the newest page of each. */
export const useDeliveryPages = (ns: string, state: string, connector: string) =>
  usePages({
    key: ['ListDeliveries', ns, state, connector],
    call: async (client, pageToken, signal) => {
      if (ns !== EVERYWHERE) return client.deliveries.listDeliveries({ ns, state, connector, pageToken }, { signal });
      const kinds = ['Connector', 'ConnectorClass'];
      const deliveries = await inNamespacesWith({ client, scope: ns, signal }, kinds, async (place) => {
        const page = await client.deliveries.listDeliveries({ ns: place, state, connector }, { signal });
        return page.deliveries;
      });
      return { deliveries: deliveries.toSorted((one, other) => (one.id > other.id ? -1 : 1)), nextPageToken: '' };
    },
    nextToken: (page) => page.nextPageToken,
    shows: { topics: ['delivery'] },
  });

export const useRetry = (onDone: () => void) =>
  useWrite(
    (client, { ns, id }: { readonly ns: string; readonly id: string }) =>
      client.deliveries.retryDelivery({ ns, deliveryId: id }),
    { changes: { topics: ['delivery'] }, onDone },
  );
