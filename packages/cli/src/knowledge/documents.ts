import { resolve } from 'node:path';
import { type Knowledge, KnowledgeSchema } from '@svc/api/resources';
import { isSvcError, SvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { collectPages } from '../kinds/index.ts';
import { outputForm, printList, printValue } from '../output.ts';
import { harmless, localTime, sizeText, styleFor } from '../terminal/index.ts';
import { resourceJson } from '../typed-resource.ts';

export interface KnowledgeOptions extends GlobalOptions, ScopeOptions {
  /** File with the content, `-` or absent: standard input. */
  readonly filename?: string;
}

/** Documents that a search by path checks. */
const DOCUMENTS_MAX = 50_000;

/** All documents of the namespace itself. */
export const documentsOf = async ({ client, target }: CommandContext): Promise<readonly Knowledge[]> =>
  collectPages(DOCUMENTS_MAX, async (pageToken, pageSize) => {
    const page = await client.gateway.listNamespaceKnowledge({ ns: target.namespace, pageToken, pageSize });
    return { items: page.knowledge, next: page.nextPageToken };
  });

/** The document with a path or a name. Throws NOT_FOUND. */
const findDocument = async (context: CommandContext, word: string): Promise<Knowledge> => {
  const path = word.replace(/^\/+|\/+$/g, '');
  const found = await named(context, word);
  if (found?.spec?.path === path || found?.metadata?.name === word) return found;
  const byPath = (await documentsOf(context)).find(({ spec }) => spec?.path === path);
  if (byPath !== undefined) return byPath;
  throw new SvcError({
    code: 'NOT_FOUND',
    reason: 'KNOWLEDGE_NOT_FOUND',
    message: `there is no knowledge ${word} in namespace ${context.target.namespace}`,
  });
};

const named = async ({ client, target }: CommandContext, name: string): Promise<Knowledge | undefined> => {
  try {
    return (await client.gateway.getNamespaceKnowledge({ ns: target.namespace, name })).knowledge;
  } catch (error) {
    if (isSvcError(error) && error.reason === 'KNOWLEDGE_NOT_FOUND') return undefined;
    throw error;
  }
};

/** `svc knowledge get PATH`: the text of one document; with --agent as that agent sees it, from the namespaces above too. */
export const getKnowledge = async (host: Host, word: string, options: KnowledgeOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openContext(host, options);
  if (options.agent !== undefined) {
    const request = { ns: context.target.namespace, agent: options.agent, path: word };
    const { modules } = await context.client.gateway.getKnowledge(request);
    return writeText(host, modules[0]?.content ?? '');
  }
  const document = await findDocument(context, word);
  if (form.form !== 'table') return printValue(host, resourceJson(KnowledgeSchema, document), form);
  writeText(host, document.spec?.content ?? '');
};

const writeText = (host: Host, text: string): void =>
  host.stdout.write(host.stdout.isTerminal ? `${harmless(text).trimEnd()}\n` : text);

/** `svc knowledge set PATH`: writes one document, new or in place of what is there. */
export const setKnowledge = async (host: Host, word: string, options: KnowledgeOptions): Promise<void> => {
  const { filename = '-' } = options;
  const path = word.replace(/^\/+|\/+$/g, '');
  if (filename === '-' && host.stdin.isTerminal)
    throw new CommandFailure('there is no text', { hint: `svc knowledge set ${word} -f FILE, or pipe the text in` });
  const content = filename === '-' ? await host.stdin.readAll() : host.files.readText(resolve(host.cwd, filename));
  if (content === undefined) throw new CommandFailure(`there is no file ${filename}`);
  // A job without standard input must not empty a document; an empty file is intended.
  if (filename === '-' && content === '')
    throw new CommandFailure('standard input is empty', {
      hint: `svc knowledge set ${word} -f FILE, or pipe the text in`,
    });
  const context = await openContext(host, options);
  const present = await documentAt(context, path);
  if (present?.spec?.content === content) return host.stdout.write(`${path} unchanged\n`);
  await writeDocument(context, { path, content, present });
  host.stdout.write(
    `${path} ${present === undefined ? 'created' : 'changed'} (${sizeText(Buffer.byteLength(content))})\n`,
  );
};

const documentAt = async (context: CommandContext, path: string): Promise<Knowledge | undefined> => {
  const found = await named(context, path);
  if (found?.spec?.path === path) return found;
  return (await documentsOf(context)).find(({ spec }) => spec?.path === path);
};

/** Writes one document; an existing one keeps its name, labels and annotations. Throws CONFLICT if someone else changed it first. */
export const writeDocument = async (
  { client, target }: CommandContext,
  wanted: {
    readonly path: string;
    readonly content: string;
    readonly present: Knowledge | undefined;
    readonly annotations?: Readonly<Record<string, string>>;
  },
): Promise<void> => {
  const { path, content, present, annotations = {} } = wanted;
  const { name = path, labels = {}, annotations: former = {}, resourceVersion = '' } = present?.metadata ?? {};
  const metadata = { name, namespace: target.namespace, labels, resourceVersion };
  const annotated = { ...metadata, annotations: { ...former, ...annotations } };
  try {
    await client.gateway.createNamespaceKnowledge({
      ns: target.namespace,
      knowledge: { metadata: annotated, spec: { path, content } },
    });
  } catch (error) {
    if (!isSvcError(error) || error.code !== 'INVALID_ARGUMENT') throw error;
    throw new CommandFailure(`document ${path}: ${error.message}`, { cause: error });
  }
};

/** `svc knowledge delete PATH...`: exit code 2 when only some were deleted. */
export const deleteKnowledge = async (
  host: Host,
  words: readonly string[],
  options: KnowledgeOptions,
): Promise<void> => {
  const context = await openContext(host, options);
  let deleted = 0;
  for (const word of words) {
    try {
      const { metadata, spec } = await findDocument(context, word);
      const name = metadata?.name ?? '';
      await context.client.gateway.deleteNamespaceKnowledge({ ns: context.target.namespace, name });
      host.stdout.write(`${spec?.path ?? word} deleted\n`);
      deleted += 1;
    } catch (error) {
      if (deleted === 0 || !isSvcError(error)) throw error;
      throw new CommandFailure(`${error.message} (${error.reason})`, { exitCode: exitCodes.partial, cause: error });
    }
  }
};

const HITS = 5;

/** `svc knowledge search QUERY`: what an agent would find, best first. */
export const searchKnowledge = async (host: Host, query: string, options: KnowledgeOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openContext(host, options);
  const agent = options.agent ?? (await onlyAgent(context));
  const limit = context.limit ?? HITS;
  const { results } = await context.client.gateway.searchKnowledge({
    ns: context.target.namespace,
    agent,
    query,
    limit,
  });
  const items = results.map(({ $typeName: _, timestamp, ...hit }) => ({ ...hit, timestamp: String(timestamp) }));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items }, form);
  if (results.length === 0) return context.note('nothing is found');
  const style = styleFor(host.stdout, host.environment, options.color);
  for (const { path, namespace, snippet, score, timestamp } of results) {
    const facts = `${namespace}  ${score.toFixed(2)}  ${localTime(Number(timestamp) / 1_000)}`;
    host.stdout.write(`${style.bold(harmless(path))}  ${style.dim(facts)}\n`);
    host.stdout.write(`  ${harmless(snippet).replace(/\s+/g, ' ').trim()}\n`);
  }
};

/** A search needs an agent; if the namespace has only one, that is used. */
const onlyAgent = async ({ client, target }: CommandContext): Promise<string> => {
  const { agents } = await client.gateway.listAgents({ ns: target.namespace, pageSize: 10, metadataOnly: true });
  const names = agents.map(({ metadata }) => metadata?.name ?? '');
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new CommandFailure(`knowledge is searched for an agent, and ${target.namespace} has ${names.length}`, {
    hint: only === undefined ? 'create one with `svc create agent NAME`' : `--agent, such as ${names.join(', ')}`,
  });
};
