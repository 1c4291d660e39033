import { toJson } from '@bufbuild/protobuf';
import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes, explain } from '../failure.ts';
import { yamlText } from '../output.ts';
import type { World } from '../world.ts';
import { ATOMIC_MAX, requestOf } from './apply.ts';
import { isFailed } from './apply-report.ts';
import { contentsOf, differingContents } from './file-contents.ts';
import { type LocalDocument, loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';
import { hideSecrets } from './secret-values.ts';
import { unifiedDiff } from './text-diff.ts';

/** `svc diff`: what an apply would change; exit 0 nothing, 1 something, 2 or more it would fail. */
export const diff = async (world: World, options: ManifestOptions): Promise<void> => {
  if (await isDifferent(world, options).catch(failAsError))
    throw new CommandFailure('there are differences', { exitCode: exitCodes.refused });
};

const isDifferent = async (world: World, options: ManifestOptions): Promise<boolean> => {
  const loaded = await loadManifests(world, options);
  requireNoFindings(loaded, 'this cannot be applied');
  const context = await openContext(world, options);
  // More than one whole takes is looked at one by one, which is the same in a dry run.
  const atomic = loaded.documents.length <= ATOMIC_MAX;
  const how = { ...options, dryRun: 'server', atomic, keepGoing: !atomic };
  const request = { ...(await requestOf(world, loaded, how)), force: true };
  const { results } = await context.client.resources.applyManifests(request);
  const unforced = await context.client.resources.applyManifests({ ...request, force: false });
  let found = false;
  for (const [index, result] of results.entries()) {
    const local = loaded.documents[index];
    const place = local?.place;
    for (const { field, description, reason } of unforced.results[index]?.fieldErrors ?? [])
      context.note(`${place?.(field) ?? ''} ${field}: ${description} (${reason})`);
    const text = await difference(context, result, local);
    found ||= text !== '';
    world.stdout.write(text);
  }
  if (isFailed(results)) throw new CommandFailure('this cannot be applied');
  // What is not there yet is a difference already.
  const present = loaded.documents
    .map((local, index) => ({ local, result: results[index] }))
    .filter(({ result }) => result?.outcome !== ApplyOutcome.CREATED);
  for (const { namespace, spec, local } of await differingContents(context, contentsOf(present).contents)) {
    found = true;
    world.stdout.write(`Bytes of File ${namespace}${spec.path} differ from ${local}\n`);
  }
  return found;
};

/** Exit code 1 means differences: what goes wrong ends with 2, or with the higher code that it has. */
const failAsError = (error: unknown): never => {
  const explained = explain(error);
  if (explained?.exitCode !== exitCodes.refused) throw error;
  const { lines, hint } = explained;
  throw new CommandFailure(lines.join('\n'), { exitCode: exitCodes.partial, hint, cause: error });
};

const difference = async (
  context: CommandContext,
  result: ApplyManifestResult,
  local: LocalDocument | undefined,
): Promise<string> => {
  const { kind, ns, name, outcome, resource } = result;
  if (outcome === ApplyOutcome.UNCHANGED || outcome === ApplyOutcome.FAILED) return '';
  const label = `${kind} ${ns === '' ? name : `${ns}/${name}`}`;
  const isNew = outcome === ApplyOutcome.CREATED;
  // An answer is bounded: what did not fit into it is named.
  if (resource === undefined) return `${label} ${isNew ? 'is new' : 'differs'}, which is too much to show\n`;
  const key = local?.document.resource?.key;
  const live = isNew || key === undefined ? undefined : await readLive(context, key);
  const [before, after] = hideSecrets(kind, writtenPart(live), writtenPart(resource));
  const mark = outcome === ApplyOutcome.REPAIRED ? ' (drift)' : '';
  const texts = { before: live === undefined ? '' : await yamlText(before), after: await yamlText(after) };
  return unifiedDiff(texts, { before: `${label} live`, after: `${label} applied${mark}` });
};

type Key = NonNullable<LocalDocument['document']['resource']>['key'];

const readLive = async ({ client }: CommandContext, key: Key): Promise<Resource | undefined> => {
  const { kind, name, namespace, parent } = key;
  try {
    return (await client.resources.getResource({ ns: kind === 'Namespace' ? name : namespace, kind, name, parent }))
      .resource;
  } catch (error) {
    if (isSvcError(error) && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

type Json = Readonly<Record<string, unknown>>;

/** Labels, annotations and the spec, as one writes them. */
const writtenPart = (resource: Resource | undefined): Json => {
  if (resource === undefined) return {};
  const json = toJson(ResourceSchema, resource) as { metadata?: Json; spec?: Json };
  const { labels, annotations } = json.metadata ?? {};
  const [spec] = Object.values(json.spec ?? {});
  return {
    metadata: { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) },
    spec,
  };
};
