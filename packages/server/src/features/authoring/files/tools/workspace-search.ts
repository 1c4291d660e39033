import { FileIndexPolicy, FilePurpose } from '@svc/api/resources';
import { recordKey } from '../../../../resources/index.ts';
import type { ReadTx, Store, StoredResource } from '../../../../store/contracts/index.ts';
import type { ToolContext, ToolResult } from '../../../../tools/contract.ts';
import { fileSpec } from '../file-facts.ts';
import { filePlaces, memoryPlaces, type PdfReader } from '../file-text.ts';
import { memoryMode, type SearchPlaces, type Understand } from './memory-tools.ts';
import { contentResult } from './tool-content.ts';
import { shownFile, type ToolFiles } from './tool-files.ts';

export interface WorkspaceSearchDeps {
  readonly store: Pick<Store, 'read' | 'direct'>;
  readonly files: ToolFiles;
  readonly pdf: PdfReader;
  readonly searchPlaces: SearchPlaces;
  readonly understand: Understand;
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
}

/** Files with an index policy as one part of the search: those of the namespace and what the turn may remember. */
export const workspaceSearch = (deps: WorkspaceSearchDeps) => ({
  kind: 'workspace' as const,
  find: async (context: ToolContext, asked: { readonly query: string; readonly limit: number }) => {
    const { namespace, agent, identity } = context;
    const hasMemory = (await memoryMode(deps.store.direct, namespace, agent)) !== 'off';
    const places = [...filePlaces(namespace), ...(hasMemory ? memoryPlaces(namespace, identity) : [])];
    const meant = await deps.understand(asked.query, namespace);
    const found = await deps.store.read((tx) =>
      deps.searchPlaces(tx, [...new Set(places)], {
        ...asked,
        meant,
        keep: async ({ kind, name }) =>
          kind === 'File' && isFound(await tx.resources.get(recordKey('File', namespace, name)), hasMemory),
      }),
    );
    return found.map(({ name, path, snippet, score, updatedAt }) => ({
      ref: `file://${namespace}/${name}`,
      title: path,
      snippet,
      score,
      updatedAt,
    }));
  },
  open: async (context: ToolContext, ref: string, part: Readonly<Record<string, unknown>>) => {
    const record = await fileOf(deps, context, ref);
    return record === undefined ? undefined : openFile(deps, record, part);
  },
});

/** Files of a skill are read with the skill. */
const isFound = (record: StoredResource | undefined, hasMemory: boolean): boolean => {
  const purpose = record === undefined ? FilePurpose.SKILL : fileSpec(record).purpose;
  return purpose !== FilePurpose.SKILL && (purpose !== FilePurpose.MEMORY || hasMemory);
};

/** The file of a ref, when the turn may see it. */
const fileOf = async (
  { store, files }: WorkspaceSearchDeps,
  context: ToolContext,
  ref: string,
): Promise<StoredResource | undefined> => {
  const [, namespace, name = ''] = /^file:\/\/([^/]+)\/([^/]+)$/.exec(ref) ?? [];
  if (namespace !== context.namespace) return undefined;
  const record = await store.direct.resources.get(recordKey('File', namespace, name));
  if (record === undefined || fileSpec(record).indexPolicy === FileIndexPolicy.NONE) return undefined;
  const hasMemory = (await memoryMode(store.direct, namespace, context.agent)) !== 'off';
  return isFound(record, hasMemory) && (await files.isSeen(context, record)) ? record : undefined;
};

const openFile = (
  { files, pdf }: WorkspaceSearchDeps,
  record: StoredResource,
  part: Readonly<Record<string, unknown>>,
): Promise<ToolResult> => contentResult(pdf, { facts: shownFile(record), ...files.content(record) }, part);

/** A file that knowledge found: of the namespace or an ancestor, and part of its knowledge. */
export const retrievedFile = async (
  deps: WorkspaceSearchDeps,
  context: ToolContext,
  asked: { readonly ref: string; readonly part: Readonly<Record<string, unknown>> },
): Promise<ToolResult | undefined> => {
  const [, namespace = '', name = ''] = /^file:\/\/([^/]+)\/([^/]+)$/.exec(asked.ref) ?? [];
  const visible = await deps.visibleNamespaces(deps.store.direct, context.namespace);
  if (!visible.includes(namespace)) return undefined;
  const record = await deps.store.direct.resources.get(recordKey('File', namespace, name));
  if (record === undefined || fileSpec(record).indexPolicy !== FileIndexPolicy.RETRIEVAL) return undefined;
  return (await deps.files.isSeen(context, record)) ? openFile(deps, record, asked.part) : undefined;
};
