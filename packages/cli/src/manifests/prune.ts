import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ApplyManifestsRequestSchema, ApplyOutcome } from '@svc/api/gateway';
import { confirm } from '../confirm.ts';
import { type CommandContext, openPlain, type PlainContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { deleteAll, type Target, targetsOf } from './delete-files.ts';
import { loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';

export interface PruneOptions extends ManifestOptions {
  readonly set?: string;
  readonly yes?: boolean;
  readonly pruneNamespaces?: boolean;
  readonly allowEmpty?: boolean;
}

const APPLY_SET = 'svc/apply-set';

/** `svc prune -f ... --set NAME`: deletes what is in the set and not in the input. */
export const prune = async (host: Host, options: PruneOptions): Promise<void> => {
  const set = requireSet(options);
  const loaded = await loadManifests(host, options, { isByName: true });
  requireNoFindings(loaded, 'nothing was deleted');
  if (loaded.documents.length === 0 && options.allowEmpty !== true)
    throw new CommandFailure('the input is empty: all of the set would go', { hint: '--allow-empty' });
  const context = await openPlain(host, options);
  const kept = new Set(targetsOf(loaded).map(keyText));
  const targets = (await membersOf(context, set)).filter(
    (target) => !kept.has(keyText(target)) && (target.kind !== 'Namespace' || options.pruneNamespaces === true),
  );
  if (options.yes !== true)
    await confirmAll(
      context,
      targets.map(({ kind, ns, name }) => `${kind} ${ns}/${name}`),
    );
  await deleteAll(context, targets);
};

/** The set to prune; without one, everything outside of sets could be meant. */
export const requireSet = ({ set = '' }: Pick<PruneOptions, 'set'>): string => {
  if (set === '') throw new CommandFailure('name the set: --set NAME');
  return set;
};

/** A Namespace counts as inside itself, or nowhere. */
const keyText = ({ kind, ns, parent, name }: Target): string =>
  JSON.stringify(kind === 'Namespace' ? [kind, name] : [kind, ns, parent, name]);

const membersOf = async ({ call }: Pick<PlainContext, 'call'>, set: string): Promise<readonly Target[]> => {
  const every = { call, limit: Number.POSITIVE_INFINITY };
  const found = await listItems(every, 'ResourceService/ListResources', { ns: '-', member: 'resources' });
  return found.flatMap((resource) => {
    const { namespace, name, annotations } = mapOf(resource['metadata']);
    const { channel } = mapOf(mapOf(resource['spec'])['channelSubscription']);
    const target = {
      kind: textOf(resource['kind']),
      ns: textOf(namespace),
      name: textOf(name),
      parent: textOf(channel),
    };
    return mapOf(annotations)[APPLY_SET] === set ? [target] : [];
  });
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

const confirmAll = async ({ host, note }: PlainContext, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return;
  note(`these would be deleted:\n${names.map((name) => `  ${name}`).join('\n')}`);
  await confirm(host, { text: 'delete them?', isAgreed: false, refusal: 'nothing was deleted' });
};
