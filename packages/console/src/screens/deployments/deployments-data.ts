import { type JsonObject, toJson } from '@bufbuild/protobuf';
import {
  type DeploymentReplicaStatus,
  type DeploymentSpec,
  type DeploymentStatus,
  type Namespace,
  type Resource,
  ResourceSchema,
} from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { allPages } from '../../api/all-pages.ts';
import { useRead } from '../../api/use-call.ts';
import { manifestForm } from '../resources/manifest/index.ts';
import type { Selection } from './selection.ts';

export const deploymentSpec = ({ spec }: Resource): DeploymentSpec | undefined =>
  spec?.kind.case === 'deployment' ? spec.kind.value : undefined;

export const deploymentStatus = ({ status }: Resource): DeploymentStatus | undefined =>
  status?.kind.case === 'deployment' ? status.kind.value : undefined;

export const replicaStatus = ({ status }: Resource): DeploymentReplicaStatus | undefined =>
  status?.kind.case === 'deploymentReplica' ? status.kind.value : undefined;

/** Namespace that a replica writes to. */
export const targetOf = ({ spec, metadata }: Resource): string =>
  spec?.kind.case === 'deploymentReplica' ? spec.kind.value.targetNamespace : (metadata?.namespace ?? '');

/** The replicas of a deployment, by the namespaces that they write to. */
export const useReplicas = (deployment: Resource): UseQueryResult<readonly Resource[]> => {
  const refs = deploymentStatus(deployment)?.replicas ?? [];
  const { namespace: own = '', name = '' } = deployment.metadata ?? {};
  return useRead({
    key: ['replicas', own, name, refs.map(({ namespace, name: replica }) => [namespace, replica])],
    call: async (client, signal) => {
      const places = new Set(refs.map(({ namespace }) => namespace || own));
      const lists = await Promise.all(
        [...places].map((ns) => client.resources.listResources({ kind: 'DeploymentReplica', ns }, { signal })),
      );
      return lists
        .flatMap(({ resources }) => resources)
        .filter(({ spec, metadata }) => {
          const ref = spec?.kind.case === 'deploymentReplica' ? spec.kind.value.deploymentRef : undefined;
          return ref?.name === name && (ref.namespace || (metadata?.namespace ?? '')) === own;
        })
        .sort((left, right) => (targetOf(left) < targetOf(right) ? -1 : 1));
    },
    shows: { kinds: ['DeploymentReplica', 'Deployment'] },
  });
};

/** Children of the namespace that a deployment looks at. */
export const useCandidates = ({ parent }: Selection): UseQueryResult<readonly Namespace[]> =>
  useRead({
    key: ['ListNamespaces', parent],
    call: async (client, signal) => {
      const asked = { parent, pageSize: 200 };
      const pages = await allPages((pageToken) => client.gateway.listNamespaces({ ...asked, pageToken }, { signal }));
      return pages.flatMap(({ namespaces }) => namespaces);
    },
    shows: { kinds: ['Namespace'] },
  });

/** Names of the templates of a namespace. */
export const useTemplateNames = (ns: string): UseQueryResult<ReadonlySet<string>> =>
  useRead({
    key: ['ListResources', 'Template', 'names', ns],
    call: async (client, signal) => {
      const { resources } = await client.resources.listResources(
        { kind: 'Template', ns, metadataOnly: true, pageSize: 1_000 },
        { signal },
      );
      return new Set(resources.map(({ metadata }) => metadata?.name ?? ''));
    },
    shows: { kinds: ['Template'] },
  });

/** A resource that a replica wrote, as manifests have it; null when it is gone. */
export const useLive = (ns: string, kindAndName: string): UseQueryResult<JsonObject | null> => {
  const [kind = '', name = ''] = kindAndName.split('/');
  return useRead({
    key: ['GetResource', 'live', ns, kindAndName],
    call: async (client, signal) => {
      try {
        const { resource } = await client.resources.getResource({ ns, kind, name }, { signal });
        return resource === undefined ? null : manifestForm(toJson(ResourceSchema, resource) as JsonObject);
      } catch (error) {
        if (isSvcError(error) && error.code === 'NOT_FOUND') return null;
        throw error;
      }
    },
    shows: { kinds: [kind] },
  });
};
