import { isSvcError, type SvcError } from '@svc/client/error';
import { openPlain, type PlainContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { type Propagation, propagationOf } from '../kinds/index.ts';
import { type LoadedManifests, loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';

export interface DeleteFilesOptions extends ManifestOptions {
  readonly cascade?: string;
  readonly force?: boolean;
}

/** One resource to delete, as the request of DeleteResource. */
export interface Target {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
  readonly parent: string;
}

/** `svc delete -f`: deletes everything that the manifests name, in reverse order; missing resources are fine. */
export const removeFiles = async (host: Host, options: DeleteFilesOptions): Promise<void> => {
  const propagation = propagationOf(options.cascade);
  const loaded = await loadManifests(host, options, { isByName: true });
  requireNoFindings(loaded, 'nothing was deleted');
  const context = await openPlain(host, options);
  await deleteAll(context, targetsOf(loaded), { propagation, force: options.force === true });
};

/** The resources that the manifests mean: a File gets its name from its path, an AgentTemplate is a Template. */
export const targetsOf = ({ documents }: LoadedManifests): readonly Target[] =>
  documents.flatMap(({ document: { resource } }) => {
    if (resource === undefined) return [];
    const { kind, namespace: ns, name, parent } = resource.key;
    return [{ kind, ns, name, parent }];
  });

/** Deletes one after the other, higher ranks first; exit code 2 when only some were deleted. */
export const deleteAll = async (
  { host, call }: Pick<PlainContext, 'host' | 'call'>,
  targets: readonly Target[],
  how: { readonly propagation: Propagation; readonly force: boolean } = {
    propagation: 'DELETE_PROPAGATION_BACKGROUND',
    force: false,
  },
): Promise<void> => {
  const { applyRank } = await host.loadManifests();
  const depth = ({ kind, name }: Target): number => (kind === 'Namespace' ? name.split(':').length : 0);
  const ordered = targets.toSorted(
    (left, right) => applyRank(right.kind) - applyRank(left.kind) || depth(right) - depth(left),
  );
  let deleted = 0;
  for (const target of ordered) {
    const { kind, name } = target;
    const ns = kind === 'Namespace' ? name : target.ns;
    try {
      const { pending } = await call('ResourceService/DeleteResource', { ...target, ns, ...how });
      deleted += 1;
      host.stdout.write(`${kind} ${ns}/${name} ${pending === true ? 'is being deleted' : 'deleted'}\n`);
    } catch (error) {
      if (!isSvcError(error)) throw error;
      const absence = absenceOf(error);
      if (absence !== undefined) host.stdout.write(`${kind} ${ns}/${name} ${absence}\n`);
      else if (deleted === 0) throw error;
      else
        throw new CommandFailure(`${kind} ${ns}/${name}: ${error.message} (${error.reason})`, {
          exitCode: exitCodes.partial,
          cause: error,
        });
    }
  }
};

/** Why a resource counts as gone; what a deleted namespace contains goes with it. Undefined for any other refusal. */
const absenceOf = ({ code, reason, violations }: SvcError): string | undefined => {
  // A custom kind is known only while one of its resources is stored.
  if (code === 'NOT_FOUND' || violations.some((violation) => violation.reason === 'UNKNOWN_KIND'))
    return 'is not there';
  return reason === 'NAMESPACE_DELETED' ? 'is not there any more' : undefined;
};
