import type { Knowledge } from '@svc/api/resources';

/** Annotation of documents written by a sync: the prefix it writes below. Only these are ever pruned. */
export const SYNC_ANNOTATION = 'knowledge-sync';

/** What one sync does, by path. */
export interface SyncPlan {
  readonly written: readonly { readonly path: string; readonly content: string; readonly present?: Knowledge }[];
  readonly pruned: readonly Knowledge[];
  readonly unchanged: number;
}

/** What to write and delete, given the texts of a directory and the documents of the namespace. `mark` is the value of the annotation. */
export const planSync = (
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
