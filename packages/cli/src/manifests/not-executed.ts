import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import type { CommandContext } from '../context.ts';
import { idleText } from '../settled/index.ts';
import { genericJson, readGeneric } from '../typed-resource.ts';

const DONE: ReadonlySet<ApplyOutcome> = new Set([
  ApplyOutcome.CREATED,
  ApplyOutcome.UPDATED,
  ApplyOutcome.UNCHANGED,
  ApplyOutcome.REPAIRED,
]);

/** One warning for each kind whose resources are stored, but not executed by this version. */
export const warnOfNotExecuted = async (
  context: CommandContext,
  results: readonly ApplyManifestResult[],
): Promise<void> => {
  const byKind = Map.groupBy(
    results.filter(({ outcome }) => DONE.has(outcome)),
    ({ kind }) => kind,
  );
  // An answer leaves out the last resources when not all fit.
  const isCut = results[0]?.resource !== undefined;
  for (const [kind, stored] of byKind) {
    const texts = stored.map((result) => (result.resource === undefined ? '' : idleText(genericJson(result.resource))));
    const shown = texts.find((text) => text !== '');
    const isLeftOut = isCut && stored.every(({ resource }) => resource === undefined);
    const text = shown ?? (isLeftOut ? await readText(context, stored[0]) : '');
    if (text !== '') context.note(`warning: ${kind}: ${text}`);
  }
};

const readText = async (context: CommandContext, result: ApplyManifestResult | undefined): Promise<string> => {
  // Only the resource knows the channel of a subscription.
  if (result === undefined || result.kind === 'ChannelSubscription') return '';
  const { ns, kind, name } = result;
  const address = { ns: kind === 'Namespace' ? name : ns, kind: kind === 'AgentTemplate' ? 'Template' : kind };
  return idleText(genericJson(await readGeneric(context, { ...address, parent: '', name })));
};
