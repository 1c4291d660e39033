import { create } from '@bufbuild/protobuf';
import { KnowledgeSpecSchema } from '@svc/api/resources';
import { textOrEmpty } from '../../../base/index.ts';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import { oncePerCall } from '../../../idempotency/index.ts';
import { fileName, isName, recordKey } from '../../../resources/index.ts';
import type { ReadTx, Store, WriteTx } from '../../../store/contracts/index.ts';
import {
  jsonResult,
  NAMESPACE_ARGUMENT,
  namespaceOf,
  numberOf,
  shownTime,
  toolOrigin,
} from '../../../tools/authority-contract.ts';
import type { Tool, ToolContext, ToolSource } from '../../../tools/contract.ts';
import type { KnowledgeLibrary, Meant } from './knowledge-library.ts';
import { normalPath, requireQuery, resultLimit } from './knowledge-rules.ts';

export interface KnowledgeToolsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'direct'>;
  readonly writer: Pick<ResourceWriter, 'create' | 'modify'>;
  /** What a query means; undefined where searches go by words only. Never rejects. */
  readonly understand: (query: string, namespace: string) => Promise<Meant | undefined>;
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
}

type Deps = KnowledgeToolsDeps & { readonly library: KnowledgeLibrary };

const PATH = { type: 'string', minLength: 1, maxLength: 512 } as const;
const LIST_DEFAULT = 50;
const LIST_MAX = 200;
const CAPABILITY = 'knowledge';

/** The agent that wrote a document last, `namespace/agent`. */
const WRITTEN_BY = 'svc/written-by';

/**
 * knowledge_search, knowledge_get, knowledge_list, knowledge_write. An agent that lists nothing under the capability may search and
 * read as long as there is something to find.
 */
export const knowledgeTools = (deps: Deps): ToolSource => {
  const reading = [searchTool(deps), getTool(deps), listTool(deps)];
  const all = [...reading, writeTool(deps)];
  return {
    name: CAPABILITY,
    toolsets: [CAPABILITY],
    names: all.map(({ name }) => name),
    concerns: ({ capabilities }) => capabilities[CAPABILITY]?.length !== 0,
    tools: async ({ grants: { capabilities, namespace } }) => {
      if (Object.hasOwn(capabilities, CAPABILITY)) return all;
      return (await deps.store.read((tx) => deps.library.isEmpty(tx, namespace))) ? [] : reading;
    },
  };
};

/** Runs the work in one snapshot, for the namespace that the call names. */
const reads = <T>(
  { store, visibleNamespaces }: Deps,
  call: { readonly context: ToolContext; readonly named: unknown },
  work: (tx: ReadTx, namespace: string) => Promise<T>,
): Promise<T> =>
  store.read(async (tx) => {
    const namespace = await namespaceOf(call.context, call.named, (name) => visibleNamespaces(tx, name));
    return work(tx, namespace);
  });

const searchTool = (deps: Deps): Tool => ({
  name: 'knowledge_search',
  description:
    'Searches the documents of this workspace and answers the best matches with a snippet. Read a whole document with knowledge_get.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 1024, description: 'words to look for; all text is literal' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 5 },
      namespace: NAMESPACE_ARGUMENT,
    },
    required: ['query'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'search', granted: 'unless-listed' },
  run: async (context, input) => {
    const query = textOrEmpty(input['query']);
    requireQuery(query);
    const limit = resultLimit(numberOf(input['limit'], 0));
    const meant = await deps.understand(query, context.namespace);
    const found = await reads(deps, { context, named: input['namespace'] }, (tx, namespace) =>
      deps.library.search(tx, namespace, { query, limit, meant }),
    );
    return jsonResult({
      ...(meant !== undefined && 'notice' in meant ? { notice: meant.notice } : {}),
      results: found.map(({ path, snippet, score, updatedAt, namespace }) => ({
        path,
        snippet,
        score: Math.round(score * 1_000) / 1_000,
        namespace,
        updated_at: shownTime(updatedAt),
      })),
    });
  },
});

const getTool = (deps: Deps): Tool => ({
  name: 'knowledge_get',
  description: 'Reads a document of this workspace by its path, or by the end of its path where that is unique.',
  inputSchema: {
    type: 'object',
    properties: { path: PATH, namespace: NAMESPACE_ARGUMENT },
    required: ['path'],
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'read', granted: 'unless-listed' },
  run: async (context, input) => {
    const { path, namespace, updatedAt, content } = await reads(
      deps,
      { context, named: input['namespace'] },
      (tx, ns) => deps.library.get(tx, ns, textOrEmpty(input['path'])),
    );
    return jsonResult({ path, namespace, updated_at: shownTime(updatedAt), content });
  },
});

const listTool = (deps: Deps): Tool => ({
  name: 'knowledge_list',
  description: 'Lists the documents of this workspace below a folder; folders end with "/".',
  inputSchema: {
    type: 'object',
    properties: {
      path: { ...PATH, description: 'folder; left out: everything' },
      recursive: { type: 'boolean', default: false, description: 'also what lies in folders below' },
      limit: { type: 'integer', minimum: 1, maximum: LIST_MAX, default: LIST_DEFAULT },
      namespace: NAMESPACE_ARGUMENT,
    },
    additionalProperties: false,
  },
  effect: 'read',
  capability: { name: CAPABILITY, action: 'read', granted: 'unless-listed' },
  run: async (context, input) => {
    const asked = {
      folder: normalPath(textOrEmpty(input['path'])),
      isRecursive: input['recursive'] === true,
      limit: numberOf(input['limit'], LIST_DEFAULT),
    };
    const { entries, isCut } = await reads(deps, { context, named: input['namespace'] }, (tx, namespace) =>
      deps.library.entries(tx, namespace, asked),
    );
    const shown = entries.map(({ path, namespace, updatedAt }) => ({
      path,
      namespace,
      ...(updatedAt === undefined ? {} : { updated_at: shownTime(updatedAt) }),
    }));
    return jsonResult({ entries: shown, truncated: isCut });
  },
});

const writeTool = (deps: Deps): Tool => ({
  name: 'knowledge_write',
  description: 'Writes a document of this workspace as Markdown, in place of the one at the same path if there is one.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { ...PATH, description: 'such as guides/refunds.md' },
      content: { type: 'string' },
      namespace: NAMESPACE_ARGUMENT,
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  effect: 'write',
  capability: { name: CAPABILITY, action: 'write' },
  run: async (context, input) => {
    const path = normalPath(textOrEmpty(input['path']));
    const spec = create(KnowledgeSpecSchema, { path, content: textOrEmpty(input['content']) });
    const written = await deps.store.write(async (tx) => {
      const namespace = await namespaceOf(context, input['namespace'], (name) => deps.visibleNamespaces(tx, name));
      return oncePerCall(tx, context.idempotencyKey, async () => {
        const key = recordKey('Knowledge', namespace, await nameFor(tx, namespace, path));
        const system = { annotations: { [WRITTEN_BY]: `${context.namespace}/${context.agent}` } };
        const origin = toolOrigin(context, 'knowledge_write');
        const isNew = (await tx.resources.get(key)) === undefined;
        // What people noted about the document stays.
        if (isNew) await deps.writer.create(tx, origin, { key, spec, system });
        else await deps.writer.modify(tx, origin, { key, change: () => ({ spec, system }) });
        return { path, namespace, name: key.name, outcome: isNew ? 'created' : 'updated' };
      });
    });
    return jsonResult(written);
  },
});

/** The name of the document at the path, else one that follows from the path. */
const nameFor = async (tx: WriteTx, namespace: string, path: string): Promise<string> => {
  const [holder] = await tx.search.directory({ kind: 'Knowledge', namespaces: [namespace], path, limit: 1 });
  if (holder !== undefined) return holder.name;
  if (!isName('knowledge', path)) return fileName(path);
  const isTaken = (await tx.resources.get(recordKey('Knowledge', namespace, path))) !== undefined;
  return isTaken ? fileName(path) : path;
};
