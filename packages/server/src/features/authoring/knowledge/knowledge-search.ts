import { isFault } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import { jsonResult, shownTime, textPart } from '../../../tools/authority-contract.ts';
import type { ToolContext, ToolResult } from '../../../tools/contract.ts';
import type { KnowledgeDocument, KnowledgeLibrary, Meant } from './knowledge-library.ts';
import { requireQuery } from './knowledge-rules.ts';

interface KnowledgeSearchDeps {
  readonly store: Pick<Store, 'read'>;
  readonly library: KnowledgeLibrary;
  /** What a query means; undefined where searches go by words only. Never rejects. */
  readonly understand: (query: string, namespace: string) => Promise<Meant | undefined>;
}

/** Opens a file that takes part in knowledge. */
type FileOpener = (
  context: ToolContext,
  ref: string,
  part: Readonly<Record<string, unknown>>,
) => Promise<ToolResult | undefined>;

/** Knowledge as one part of the search of agents. */
export const knowledgeSearch =
  ({ store, library, understand }: KnowledgeSearchDeps) =>
  (openFile: FileOpener) => ({
    kind: 'knowledge' as const,
    find: async ({ namespace }: ToolContext, asked: { readonly query: string; readonly limit: number }) => {
      requireQuery(asked.query);
      const meant = await understand(asked.query, namespace);
      const found = await store.read((tx) => library.search(tx, namespace, { ...asked, meant }));
      return found.map(({ kind, namespace: place, name, path, snippet, score, updatedAt }) => ({
        ref: kind === 'File' ? `file://${place}/${name}` : `knowledge://${place}/${path}`,
        title: path,
        snippet,
        score,
        updatedAt,
      }));
    },
    open: async (context: ToolContext, ref: string, part: Readonly<Record<string, unknown>>) => {
      const [, place, path = ''] = /^knowledge:\/\/([^/]+)\/(.+)$/su.exec(ref) ?? [];
      if (place === undefined) return openFile(context, ref, part);
      const found = await unlessMissing(store.read((tx) => library.get(tx, context.namespace, path)));
      if (found?.namespace !== place || found.path !== path) return undefined;
      const updatedAt = shownTime(found.updatedAt);
      return jsonResult({ ref, path, namespace: place, updated_at: updatedAt, ...textPart(found.content, part) });
    },
  });

const unlessMissing = async (read: Promise<KnowledgeDocument>): Promise<KnowledgeDocument | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (isFault(error) && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};
