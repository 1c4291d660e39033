import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ApplyManifestsRequestSchema, ApplyOutcome } from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';
import { confirm } from '../confirm.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';
import { deleteAll } from './delete-files.ts';
import { loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';

export interface PruneOptions extends ManifestOptions {
  readonly set?: string;
  readonly yes?: boolean;
  readonly pruneNamespaces?: boolean;
  readonly allowEmpty?: boolean;
}

const APPLY_SET = 'svc/apply-set';

/** `svc prune -f ... --set NAME`: deletes what the set holds and the input lacks. */
export const prune = async (world: World, options: PruneOptions): Promise<void> => {
  const { set = '' } = options;
  if (set === '') throw new CommandFailure('which set?', { hint: 'name it with --set' });
  const loaded = await loadManifests(world, options);
  requireNoFindings(loaded);
  if (loaded.documents.length === 0 && options.allowEmpty !== true)
    throw new CommandFailure('the input is empty: all of the set would go', { hint: '--allow-empty' });
  const context = await openContext(world, options);
  const kept = new Set(
    loaded.documents.flatMap(({ document: { resource } }) =>
      resource === undefined ? [] : [subjectOf({ ...resource.key, ns: resource.key.namespace })],
    ),
  );
  const targets = (await membersOf(context, set))
    .map(({ kind, metadata, spec }) => ({
      kind,
      ns: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      parent: spec?.kind.case === 'channelSubscription' ? spec.kind.value.channel : '',
    }))
    .filter((target) => !kept.has(subjectOf(target)))
    .filter(({ kind }) => kind !== 'Namespace' || options.pruneNamespaces === true);
  if (options.yes !== true)
    await confirmAll(
      context,
      targets.map(({ kind, ns, name }) => `${kind} ${ns}/${name}`),
    );
  await deleteAll(context, targets);
};

/** Two channels may have subscriptions of one name, and what is written as an AgentTemplate is a Template. */
const subjectOf = (target: {
  readonly kind: string;
  readonly ns: string;
  readonly parent: string;
  readonly name: string;
}): string => [target.kind, target.ns, target.parent, target.name].join('/');

const membersOf = async ({ client }: CommandContext, set: string): Promise<readonly Resource[]> => {
  const found: Resource[] = [];
  let pageToken = '';
  do {
    const page = await client.resources.listResources({ ns: '-', pageToken });
    found.push(...page.resources.filter(({ metadata }) => metadata?.annotations[APPLY_SET] === set));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
};

/** Asks before an apply deletes anything. */
export const confirmPrune = async (
  context: CommandContext,
  request: MessageInitShape<typeof ApplyManifestsRequestSchema>,
): Promise<void> => {
  const { results } = await context.client.resources.applyManifests({ ...request, dryRun: true });
  const pruned = results.filter(({ outcome }) => outcome === ApplyOutcome.PRUNED);
  await confirmAll(
    context,
    pruned.map(({ kind, ns, name }) => `${kind} ${ns}/${name}`),
  );
};

const confirmAll = async ({ world, note }: CommandContext, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return;
  note(`these would be deleted:\n${names.map((name) => `  ${name}`).join('\n')}`);
  await confirm(world, { text: 'delete them?', isAgreed: false, refusal: 'nothing is deleted' });
};
