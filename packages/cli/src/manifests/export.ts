import type { Resource } from '@svc/api/resources';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { genericJson, isAuthorable, manifestOf } from '../kinds/index.ts';
import { yamlText } from '../output.ts';
import type { World } from '../world.ts';

export interface ExportOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
}

/**
 * `svc export [-A]`: every resource that can be written, as manifests in the order of application. Values of secrets are in it
 * only for callers who may read them. Resources that others own are left out: their owners make them again.
 */
export const exportAll = async (world: World, options: ExportOptions): Promise<void> => {
  const { client, target, note } = await openContext(world, options);
  const { applyRank } = await world.loadManifests();
  const ns = options.allNamespaces === true ? '-' : target.namespace;
  const found: Resource[] = [];
  let pageToken = '';
  do {
    const page = await client.resources.listResources({ ns, recursive: true, pageToken });
    found.push(...page.resources.filter(isWritten));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  const depth = ({ kind, metadata }: Resource): number =>
    kind === 'Namespace' ? (metadata?.name ?? '').split(':').length : 0;
  const ordered = found.toSorted(
    (left, right) => applyRank(left.kind) - applyRank(right.kind) || depth(left) - depth(right),
  );
  for (const [index, resource] of ordered.entries()) {
    const text = await yamlText(manifestOf(genericJson(resource)));
    world.stdout.write(index === 0 ? text : `---\n${text}`);
  }
  note(`${ordered.length} resources`);
};

const isWritten = ({ kind, metadata }: Resource): boolean =>
  isAuthorable(kind) &&
  metadata?.ownerReferences.some((owner) => owner.controller) !== true &&
  !(kind === 'Namespace' && ['system', 'default'].includes(metadata?.name ?? ''));
