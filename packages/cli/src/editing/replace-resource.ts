import { create, type JsonObject } from '@bufbuild/protobuf';
import { ApplyOutcome } from '@svc/api/gateway';
import { type ResourceMeta, ResourceMetaSchema, type ResourceSpec, ResourceSpecSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { CommandContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { ManifestModule } from '../host.ts';
import type { ResourceAddress } from '../kinds/index.ts';
import { type LiveResource, readMasked } from './live-resource.ts';

/** A resource as the manifest parser returned it. */
export type ManifestResource = NonNullable<
  ReturnType<ManifestModule['parseManifests']>['documents'][number]['resource']
>;

/** Replaces the stored resource if it still has the version. Throws ABORTED CONFLICT otherwise. */
export const replaceLive = async (
  { client }: CommandContext,
  written: { readonly address: ResourceAddress; readonly resource: ManifestResource; readonly version: string },
  options: { readonly dryRun?: boolean } = {},
): Promise<'changed' | 'unchanged'> => {
  const { address, resource, version } = written;
  const { apiVersion, metadata, spec } = resource;
  const request = {
    ...address,
    manifest: {
      apiVersion,
      kind: address.kind,
      spec: specMessage(spec),
      metadata: { ...metadata, resourceVersion: version },
    },
    dryRun: options.dryRun === true,
  };
  const { outcome, fieldErrors } = await client.resources.applyResource(request);
  if (fieldErrors.length > 0) throw new CommandFailure(fieldErrors.map(faultLine).join('\n'));
  return outcome === ApplyOutcome.UNCHANGED ? 'unchanged' : 'changed';
};

/** The member of the spec that takes messages of this type. */
const specMessage = (spec: ManifestResource['spec']): ResourceSpec => {
  const field = ResourceSpecSchema.fields.find((member) => member.message?.typeName === spec.$typeName);
  if (field === undefined) throw new TypeError(`${spec.$typeName} is not a spec`);
  return create(ResourceSpecSchema, { kind: { case: field.localName, value: spec } as ResourceSpec['kind'] });
};

/** Concurrent writers that may win before a command gives up. */
const TRIES_MAX = 5;

/**
 * Changes a resource: `change` makes the new manifest from the current one, again from the newest state whenever someone else
 * changed it first. Throws CommandFailure for what a manifest may not say.
 */
export const updateLive = (
  context: CommandContext,
  address: ResourceAddress,
  update: {
    readonly change: (manifest: JsonObject) => JsonObject;
    readonly isNested?: boolean;
    readonly dryRun?: boolean;
    /** Version that the resource must have; without it the newest state is changed. */
    readonly version?: string | undefined;
  },
): Promise<'changed' | 'unchanged'> => {
  return untilFirst(async () => {
    const live = await readMasked(context, address, update);
    requireVersion(live, update.version);
    const resource = await checkManifest(context, live.address, update.change(live.manifest));
    return replaceLive(context, { address, resource, version: live.version }, update);
  });
};

/** Throws what would refuse the manifest of a new resource; nothing is written. */
export const tryNew = async (
  context: CommandContext,
  address: ResourceAddress,
  manifest: JsonObject,
): Promise<void> => {
  const resource = await checkManifest(context, address, manifest);
  await replaceLive(context, { address, resource, version: '' }, { dryRun: true });
};

const requireVersion = ({ address, version }: LiveResource, wanted: string | undefined): void => {
  if (wanted === undefined || wanted === version) return;
  throw new CommandFailure(
    `somebody changed ${address.kind} ${address.name}: it has version ${version}, not ${wanted}`,
    {
      hint: 'read it again, then repeat with its version',
    },
  );
};

/** Changes labels or annotations of a resource, also of kinds that manifests cannot contain; otherwise as updateLive. */
export const updateMetadata = (
  context: CommandContext,
  address: ResourceAddress,
  change: (metadata: ResourceMeta) => Partial<Pick<ResourceMeta, 'labels' | 'annotations'>>,
): Promise<'changed' | 'unchanged'> =>
  untilFirst(async () => {
    const { resource } = await readMasked(context, address);
    const { apiVersion, kind, spec, metadata = create(ResourceMetaSchema) } = resource;
    const changed = create(ResourceMetaSchema, { ...metadata, ...change(metadata) });
    const manifest = { apiVersion, kind, metadata: changed, ...(spec === undefined ? {} : { spec }) };
    const { outcome } = await context.client.resources.applyResource({ ...address, manifest });
    return outcome === ApplyOutcome.UNCHANGED ? 'unchanged' : 'changed';
  });

/** Again from the newest state whenever someone else changed it first. */
const untilFirst = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES_MAX || !isSvcError(error) || error.reason !== 'CONFLICT') throw error;
    }
  }
};

/** By the rules of manifests, and still the same resource. */
const checkManifest = async (
  { host }: CommandContext,
  address: ResourceAddress,
  manifest: JsonObject,
): Promise<ManifestResource> => {
  const { parseManifests } = await host.loadManifests();
  const { documents, findings } = parseManifests(JSON.stringify(manifest), { namespace: address.ns });
  const resource = documents[0]?.resource;
  const moved = resource === undefined ? [] : movedFields(address, resource);
  const lines = [...findings, ...moved].map(faultLine);
  if (resource === undefined || lines.length > 0) throw new CommandFailure(lines.join('\n'));
  return resource;
};

/** The field is empty if the whole document is wrong. */
const faultLine = ({ field, description, reason }: Fault): string =>
  `${field === '' ? '' : `${field}: `}${description} (${reason})`;

interface Fault {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
}

/** What identifies the resource; if it differs, the manifest means another one. */
export const movedFields = (address: ResourceAddress, { key }: ManifestResource): readonly Fault[] => {
  const wanted = { kind: address.kind, 'metadata.name': address.name, 'metadata.namespace': address.ns };
  const namespace = key.kind === 'Namespace' ? address.ns : key.namespace;
  const given = { kind: key.kind, 'metadata.name': key.name, 'metadata.namespace': namespace };
  return Object.entries(wanted)
    .filter(([field, value]) => given[field as keyof typeof given] !== value)
    .map(([field, value]) => ({ field, description: `cannot change; it is ${value}`, reason: 'IMMUTABLE' }));
};
