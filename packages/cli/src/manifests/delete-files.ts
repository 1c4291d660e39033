import { DeletePropagation } from '@svc/api/gateway';
import { isSvcError } from '@svc/client';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { propagationOf } from '../kinds/index.ts';
import type { World } from '../world.ts';
import { loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';

export interface DeleteFilesOptions extends ManifestOptions {
  readonly cascade?: string;
  readonly force?: boolean;
}

interface Target {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
  readonly parent: string;
}

/** `svc delete -f`: everything that the manifests name, in reverse order; what is absent is fine. */
export const removeFiles = async (world: World, options: DeleteFilesOptions): Promise<void> => {
  const propagation = propagationOf(options.cascade);
  const loaded = await loadManifests(world, options);
  requireNoFindings(loaded);
  const context = await openContext(world, options);
  const targets = loaded.documents.flatMap(({ document: { resource } }) =>
    resource === undefined
      ? []
      : [{ kind: resource.key.kind, ns: resource.key.namespace, name: resource.key.name, parent: resource.key.parent }],
  );
  await deleteAll(context, targets, { propagation, force: options.force === true });
};

/** Deletes one after the other, later ranks first; some deleted and some not is exit code 2. */
export const deleteAll = async (
  { world, client }: CommandContext,
  targets: readonly Target[],
  how: { readonly propagation: DeletePropagation; readonly force: boolean } = {
    propagation: DeletePropagation.BACKGROUND,
    force: false,
  },
): Promise<void> => {
  const { applyRank } = await world.loadManifests();
  const depth = ({ kind, name }: Target): number => (kind === 'Namespace' ? name.split(':').length : 0);
  const ordered = targets.toSorted(
    (left, right) => applyRank(right.kind) - applyRank(left.kind) || depth(right) - depth(left),
  );
  let deleted = 0;
  for (const target of ordered) {
    const { kind, name } = target;
    const ns = kind === 'Namespace' ? name : target.ns;
    try {
      const { pending } = await client.resources.deleteResource({ ...target, ns, ...how });
      deleted += 1;
      world.stdout.write(`${kind} ${ns}/${name} ${pending ? 'is being deleted' : 'deleted'}\n`);
    } catch (error) {
      if (!isSvcError(error)) throw error;
      const absence = absenceOf(error);
      if (absence !== undefined) world.stdout.write(`${kind} ${ns}/${name} ${absence}\n`);
      else if (deleted === 0) throw error;
      else
        throw new CommandFailure(`${kind} ${ns}/${name}: ${error.message} (${error.reason})`, {
          exitCode: exitCodes.partial,
          cause: error,
        });
    }
  }
};

/** How a resource is gone already; what a deleted namespace holds goes with it. Undefined for any other refusal. */
const absenceOf = ({ code, reason }: { readonly code: string; readonly reason: string }): string | undefined => {
  if (code === 'NOT_FOUND') return 'is not there';
  return reason === 'NAMESPACE_DELETED' ? 'is not there any more' : undefined;
};
