import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes, explain } from '../failure.ts';
import type { Host } from '../host.ts';
import { nestedJson } from '../kinds/index.ts';
import { yamlText } from '../output.ts';
import { harmlessJson, harmlessYaml, type Style, styleFor } from '../terminal/index.ts';
import { ATOMIC_MAX, requestOf } from './apply.ts';
import { formOf, isFailed, outcomeWord } from './apply-report.ts';
import { contentsOf, differingContents } from './file-contents.ts';
import { type LocalDocument, loadManifests, type ManifestOptions, requireNoFindings } from './manifest-documents.ts';
import { hideSecrets } from './secret-values.ts';
import { paintDiff, unifiedDiff } from './text-diff.ts';

/** `svc diff`: what an apply would change; exit code 0 nothing, 1 something, 2 or more if it would fail. */
export const diff = async (host: Host, options: ManifestOptions): Promise<void> => {
  if (await isDifferent(host, options).catch(failAsError))
    throw new CommandFailure('there are differences', { exitCode: exitCodes.refused });
};

const isDifferent = async (host: Host, options: ManifestOptions): Promise<boolean> => {
  const form = formOf(options);
  const loaded = await loadManifests(host, options);
  requireNoFindings(loaded, 'this cannot be applied');
  const context = await openContext(host, options);
  // More documents than one transaction takes are compared one by one, with the same result in a dry run.
  const atomic = loaded.documents.length <= ATOMIC_MAX;
  const how = { ...options, dryRun: 'server', atomic, keepGoing: !atomic };
  const request = { ...(await requestOf(host, loaded, how)), force: true };
  const { results } = await context.client.resources.applyManifests(request);
  const unforced = await context.client.resources.applyManifests({ ...request, force: false });
  const style = styleFor(host.stdout, host.environment, options.color);
  const differences: Difference[] = [];
  for (const [index, result] of results.entries()) {
    const local = loaded.documents[index];
    const place = local?.place;
    for (const { field, description, reason } of unforced.results[index]?.fieldErrors ?? [])
      context.note(`${place?.(field) ?? ''} ${field}: ${description} (${reason})`);
    const found = await difference(context, result, local);
    if (found === undefined) continue;
    differences.push(found);
    if (form === 'table') host.stdout.write(await differenceText(host, found, style));
  }
  if (form === 'json') printJson(host, differences);
  if (isFailed(results)) throw new CommandFailure('this cannot be applied');
  // A resource that does not exist yet is a difference already.
  const present = loaded.documents
    .map((local, index) => ({ local, result: results[index] }))
    .filter(({ result }) => result?.outcome !== ApplyOutcome.CREATED);
  const bytes = await differingContents(context, contentsOf(present).contents);
  // The JSON list is complete; bytes of files are not part of a manifest.
  const tell = (text: string): void => (form === 'json' ? context.note(text.trimEnd()) : host.stdout.write(text));
  for (const { namespace, spec, local } of bytes) tell(`Bytes of File ${namespace}${spec.path} differ from ${local}\n`);
  return differences.length > 0 || bytes.length > 0;
};

/** Exit code 1 means differences, so an error ends with 2, or with its own code if that is higher. */
const failAsError = (error: unknown): never => {
  const explained = explain(error);
  if (explained?.exitCode !== exitCodes.refused) throw error;
  const { lines, hint } = explained;
  throw new CommandFailure(lines.join('\n'), { exitCode: exitCodes.partial, hint, cause: error });
};

/** What an apply would change of one resource. */
interface Difference {
  readonly result: ApplyManifestResult;
  /** Labels, annotations and spec; undefined if there are none, or if they did not fit into the answer. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

const difference = async (
  context: CommandContext,
  result: ApplyManifestResult,
  local: LocalDocument | undefined,
): Promise<Difference | undefined> => {
  const { kind, outcome, resource } = result;
  if (outcome === ApplyOutcome.UNCHANGED || outcome === ApplyOutcome.FAILED) return undefined;
  if (resource === undefined) return { result, before: undefined, after: undefined };
  const key = local?.document.resource?.key;
  const live = outcome === ApplyOutcome.CREATED || key === undefined ? undefined : await readLive(context, key);
  const [before, after] = hideSecrets(kind, writtenPart(live), writtenPart(resource));
  return { result, before: live === undefined ? undefined : readable(before), after: readable(after) };
};

/** JSON texts, such as the spec of a template, in parsed form. */
const readable = (written: Json): Json => nestedJson(written as JsonObject);

const differenceText = async (host: Host, { result, before, after }: Difference, style: Style): Promise<string> => {
  const { kind, ns, name, outcome } = result;
  const label = `${kind} ${ns === '' ? name : `${ns}/${name}`}`;
  // The size of an answer is limited: what did not fit is named.
  if (after === undefined)
    return `${label} ${outcome === ApplyOutcome.CREATED ? 'is new' : 'differs'}, which is too much to show\n`;
  const mark = outcome === ApplyOutcome.REPAIRED ? ' (drift)' : '';
  const texts = { before: before === undefined ? '' : await yamlText(before), after: await yamlText(after) };
  const text = unifiedDiff(texts, { before: `${label} live`, after: `${label} applied${mark}` });
  return paintDiff(host.stdout.isTerminal ? harmlessYaml(text) : text, style);
};

const printJson = (host: Host, differences: readonly Difference[]): void => {
  const list = differences.map(({ result, before, after }) => ({
    outcome: outcomeWord(result.outcome),
    kind: result.kind,
    namespace: result.ns,
    name: result.name,
    changedPaths: result.changedPaths,
    before: before ?? null,
    after: after ?? null,
  }));
  const text = JSON.stringify(list, undefined, 2);
  host.stdout.write(`${host.stdout.isTerminal ? harmlessJson(text) : text}\n`);
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

/** Labels, annotations and the spec, as people write them. */
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
