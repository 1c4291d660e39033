import type { JsonObject } from '@bufbuild/protobuf';
import { findKindFacts } from '@svc/api/kinds';
import type { Resource } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf } from '../json-value.ts';
import { isAuthorable, manifestOf } from '../kinds/index.ts';
import { writeYaml, yamlText } from '../output.ts';
import { counted } from '../terminal/index.ts';
import { genericJson, readGeneric } from '../typed-resource.ts';
import { writeArchive } from './write-archive.ts';

export interface ExportOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  /** One archive with files, sessions and messages too. */
  readonly data?: boolean;
  /** Manifests with the uids that `svc import` keeps; `svc apply` refuses them. An archive always has them. */
  readonly uids?: boolean;
}

/**
 * `svc export [-A] [--data]`: every resource that can be written, in the order in which they have to be applied. Secret values are
 * included only for callers who may read them. Manifests leave out what others own or an exported deployment renders: it is made again.
 * An archive ends with what deployments render too, because people may have added to it.
 */
export const exportAll = async (host: Host, options: ExportOptions): Promise<void> => {
  const context = await openContext(host, options);
  const { client, target, note } = context;
  const { applyRank, withoutDefaults } = await host.loadManifests();
  const ns = options.allNamespaces === true ? '-' : target.namespace;
  const found: Resource[] = [];
  let pageToken = '';
  do {
    const page = await client.resources.listResources({ ns, recursive: true, pageToken });
    found.push(...page.resources);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  const depth = ({ kind, metadata }: Resource): number =>
    kind === 'Namespace' ? (metadata?.name ?? '').split(':').length : 0;
  const deploymentOf = renderers(found);
  const ordered = found
    .filter(isWritten)
    .toSorted((left, right) => applyRank(left.kind) - applyRank(right.kind) || depth(left) - depth(right));
  const manifestsOf = async (resources: readonly Resource[]): Promise<JsonObject[]> => {
    const manifests: JsonObject[] = [];
    for (const resource of resources) manifests.push(portable(genericJson(await withValues(context, resource))));
    return manifests;
  };
  const made = ordered.filter((resource) => deploymentOf(resource) !== undefined);
  const manifests = await manifestsOf(ordered.filter((resource) => deploymentOf(resource) === undefined));
  if (options.data === true) {
    const texts = await manifestsOf(made);
    const rendered = made.map((resource, index) => ({
      manifest: texts[index] ?? {},
      deployment: deploymentOf(resource) ?? '',
    }));
    return writeArchive(context, { manifests, rendered, all: found });
  }
  if (made.length > 0)
    note(
      `${counted(made.length, 'resource is left out: its deployment renders it again', 'resources are left out: their deployments render them again')}; --data includes what people added`,
    );
  const files = manifests.filter(({ kind }) => kind === 'File').length;
  if (files > 0) note(`${counted(files, 'file is without its', 'files are without their')} bytes: --data has them`);
  for (const [index, manifest] of manifests.entries()) {
    const document = manifestOf(manifest, withoutDefaults);
    const uid = mapOf(manifest['metadata'])['uid'] ?? '';
    const metadata = { ...mapOf(document['metadata']), uid };
    const text = await yamlText(options.uids === true ? { ...document, metadata } : document);
    writeYaml(host, index === 0 ? text : `---\n${text}`);
  }
  note(counted(manifests.length, 'resource'));
};

/** True for kinds with values that lists never hold; a Template has those of the kind inside it. */
const hasValues = (kind: string): boolean =>
  kind === 'Template' || (findKindFacts(kind)?.sensitiveSpec ?? []).length > 0;

/** The resource as a read returns it, with its sensitive values if the caller may read them; from the list if it was deleted meanwhile. */
const withValues = async (context: CommandContext, resource: Resource): Promise<Resource> => {
  const { kind, metadata } = resource;
  if (!hasValues(kind)) return resource;
  try {
    const address = { ns: metadata?.namespace ?? '', kind, parent: '', name: metadata?.name ?? '' };
    return await readGeneric(context, address);
  } catch (error) {
    if (isSvcError(error) && error.code === 'NOT_FOUND') return resource;
    throw error;
  }
};

/** Owners are identified by uid and system finalizers by controller: neither is of use elsewhere. An archive lists owners separately. */
const portable = (json: JsonObject): JsonObject => {
  const { metadata } = json;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return json;
  const { ownerReferences: _, finalizers, ...kept } = metadata;
  const own = Array.isArray(finalizers) ? finalizers.filter((name) => !String(name).startsWith('svc/')) : [];
  return { ...json, metadata: { ...kept, finalizers: own } };
};

/** The deployment that manages a resource, as `namespace/name`; undefined unless it is exported too. */
const renderers = (found: readonly Resource[]): ((resource: Resource) => string | undefined) => {
  const deployments = new Set(
    found.flatMap(({ kind, metadata }) => (kind === 'Deployment' ? [`${metadata?.namespace}/${metadata?.name}`] : [])),
  );
  return ({ metadata }) => {
    const [namespace = ''] = (metadata?.annotations['svc/replica'] ?? '').split('/');
    const name = `${namespace}/${metadata?.labels['svc/deployment'] ?? ''}`;
    return deployments.has(name) ? name : undefined;
  };
};

const isWritten = ({ kind, metadata }: Resource): boolean =>
  isAuthorable(kind) &&
  metadata?.ownerReferences.some((owner) => owner.controller) !== true &&
  !(kind === 'Namespace' && ['system', 'default'].includes(metadata?.name ?? ''));
