import { join, resolve } from 'node:path';
import type { Knowledge } from '@svc/api/resources';
import { SvcError } from '@svc/client';
import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { documentsOf, writeDocument } from './documents.ts';

export interface SyncOptions extends GlobalOptions {
  /** Path below which the documents are. */
  readonly prefix?: string;
  readonly prune?: boolean;
  readonly allowEmpty?: boolean;
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly yes?: boolean;
}

const MARKDOWN = /\.(?:md|markdown)$/i;
const DEPTH_MAX = 32;
const FILES_MAX = 20_000;
/** Pause between two checks of the directory with --watch. */
const LOOK_MS = 1_000;

/**
 * `svc knowledge sync DIR`: every Markdown file below DIR as a document under its relative path. --prune deletes what an
 * earlier sync with the same prefix wrote and DIR no longer has; --watch continues with every change until Ctrl-C.
 */
export const syncKnowledge = async (host: Host, directory: string, options: SyncOptions): Promise<void> => {
  const root = resolve(host.cwd, directory);
  if (host.files.facts(root)?.isDirectory !== true) throw new CommandFailure(`${directory} is not a directory`);
  const context = await openContext(host, options);
  let texts = readTexts(host, root, options);
  if (wouldEmpty(texts, options))
    throw new CommandFailure(`${directory} has no Markdown: all documents of this sync would go`, {
      hint: '--allow-empty',
    });
  await syncOnce(context, texts, options);
  if (options.watch !== true || options.dryRun === true) return;
  const abort = new AbortController();
  const release = host.onInterrupt(() => abort.abort());
  context.note(`watching ${directory}; Ctrl-C ends it`);
  try {
    while (!abort.signal.aborted) {
      await host.sleep(LOOK_MS);
      const now = readTexts(host, root, options);
      if (abort.signal.aborted || isSame(texts, now)) continue;
      // A directory that is being rebuilt is empty for a moment.
      if (wouldEmpty(now, options)) context.note(`${directory} has no Markdown now: nothing was deleted`);
      else await syncOnce(context, now, { ...options, yes: true });
      texts = now;
    }
    throw new SvcError({ code: 'CANCELLED', reason: 'ABORTED', message: 'interrupted' });
  } finally {
    release();
  }
};

/** True when a sync with --prune would delete everything it manages, and --allow-empty is not given. */
const wouldEmpty = (texts: ReadonlyMap<string, string>, { prune, allowEmpty }: SyncOptions): boolean =>
  prune === true && allowEmpty !== true && texts.size === 0;

const isSame = (left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean =>
  left.size === right.size && [...left].every(([path, text]) => right.get(path) === text);

const prefixOf = ({ prefix = '' }: SyncOptions): string => prefix.replace(/^\/+|\/+$/g, '');

/** Markdown below a directory, by its future path; hidden entries are left out. */
const readTexts = (host: Host, root: string, options: SyncOptions): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  const visit = (directory: string, path: string, depth: number): void => {
    if (depth > DEPTH_MAX) throw new CommandFailure(`${directory} is nested deeper than ${DEPTH_MAX} directories`);
    for (const entry of [...host.files.list(directory)].filter((name) => !name.startsWith('.')).sort()) {
      const absolute = join(directory, entry);
      const own = path === '' ? entry : `${path}/${entry}`;
      if (host.files.facts(absolute)?.isDirectory === true) visit(absolute, own, depth + 1);
      else if (MARKDOWN.test(entry)) {
        // A file deleted between listing and reading does not exist any more.
        const text = host.files.readText(absolute);
        if (text !== undefined) texts.set(own, text);
      }
      if (texts.size > FILES_MAX) throw new CommandFailure(`there are more than ${FILES_MAX} files below ${root}`);
    }
  };
  visit(root, prefixOf(options), 0);
  return texts;
};

const syncOnce = async (
  context: CommandContext,
  texts: ReadonlyMap<string, string>,
  options: SyncOptions,
): Promise<void> => {
  const mark = `/${prefixOf(options)}`;
  const plan = planSync(texts, await documentsOf(context), { mark, isPrune: options.prune === true });
  if (options.dryRun === true) return tell(context, plan, 'would be ');
  if (plan.pruned.length > 0 && options.yes !== true) {
    context.note(`these would be deleted:\n${plan.pruned.map(({ spec }) => `  ${spec?.path ?? ''}`).join('\n')}`);
    await confirm(context.host, { text: 'delete them?', isAgreed: false, refusal: 'nothing was changed' });
  }
  for (const { path, content, present } of plan.written) {
    await writeDocument(context, { path, content, present, annotations: { [SYNC_ANNOTATION]: mark } });
    context.host.stdout.write(`${present === undefined ? 'created' : 'changed'}  ${path}\n`);
  }
  for (const { metadata, spec } of plan.pruned) {
    const name = metadata?.name ?? '';
    await context.client.gateway.deleteNamespaceKnowledge({ ns: context.target.namespace, name });
    context.host.stdout.write(`deleted  ${spec?.path ?? ''}\n`);
  }
  context.note(totals(plan, ''));
};

const tell = ({ host, note }: CommandContext, plan: SyncPlan, would: string): void => {
  for (const { path, present } of plan.written)
    host.stdout.write(`${would}${present === undefined ? 'created' : 'changed'}  ${path}\n`);
  for (const { spec } of plan.pruned) host.stdout.write(`${would}deleted  ${spec?.path ?? ''}\n`);
  note(totals(plan, would));
};

const totals = ({ written, pruned, unchanged }: SyncPlan, would: string): string =>
  `${written.length} ${would}written, ${pruned.length} ${would}deleted, ${unchanged} unchanged`;

/** Annotation of documents written by a sync: the prefix it writes below. Only these are ever pruned. */
const SYNC_ANNOTATION = 'knowledge-sync';

/** What one sync does, by path. */
interface SyncPlan {
  readonly written: readonly { readonly path: string; readonly content: string; readonly present?: Knowledge }[];
  readonly pruned: readonly Knowledge[];
  readonly unchanged: number;
}

/** What to write and delete, given the texts of a directory and the documents of the namespace. `mark` is the value of the annotation. */
const planSync = (
  texts: ReadonlyMap<string, string>,
  documents: readonly Knowledge[],
  options: { readonly mark: string; readonly isPrune: boolean },
): SyncPlan => {
  const byPath = new Map(documents.map((document) => [document.spec?.path ?? '', document]));
  const isMarked = ({ metadata }: Knowledge): boolean => metadata?.annotations[SYNC_ANNOTATION] === options.mark;
  const written = [...texts].flatMap(([path, content]) => {
    const present = byPath.get(path);
    if (present === undefined) return [{ path, content }];
    return present.spec?.content === content && isMarked(present) ? [] : [{ path, content, present }];
  });
  const gone = documents.filter((document) => isMarked(document) && !texts.has(document.spec?.path ?? ''));
  return { written, pruned: options.isPrune ? gone : [], unchanged: texts.size - written.length };
};
