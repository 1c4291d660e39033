import { FileIndexPolicy, FilePurpose } from '@svc/api/resources';
import { isFault, textOrEmpty } from '../../../../base/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import type { ReadTx, Store, StoredResource } from '../../../../store/contracts/index.ts';
import { jsonResult, numberOf, PART_ARGUMENTS, shownTime, toolOrigin } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext, ToolSource } from '../../../../tools/contract.ts';
import { fileSpec, objectOf } from '../file-facts.ts';
import { identityFolder, ownerOf } from '../file-rules.ts';
import { memoryPlaces, type PdfReader } from '../file-text.ts';
import { type FileWrites, fileKey } from '../file-writes.ts';
import { newFile } from './file-tools.ts';
import { contentResult, textTypeOf } from './tool-content.ts';
import { contentOf, onceFor, pathOf, requireOwnPath, type ToolFiles, type ToolInput } from './tool-files.ts';

/** A document that a search found. */
interface FoundMemory {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly snippet: string;
  readonly score: number;
  readonly updatedAt: number;
}

/** What a query means, or why searches go by words only for now. */
type Meant = { readonly model: string; readonly vector: Float32Array } | { readonly notice: string };

/** Asks what a query means; undefined where searches go by words only. Never rejects. */
export type Understand = (query: string, namespace: string) => Promise<Meant | undefined>;

/** Ranked search over places of the index, as knowledge does it; `keep` leaves out hits, by the records that they stand for. */
export type SearchPlaces = (
  reads: Pick<ReadTx, 'search'>,
  places: readonly string[],
  asked: {
    readonly query: string;
    readonly limit: number;
    readonly meant: Meant | undefined;
    readonly keep: (hit: { readonly kind: string; readonly name: string }) => Promise<boolean>;
  },
) => Promise<readonly FoundMemory[]>;

export interface MemoryToolsDeps {
  readonly store: Pick<Store, 'read' | 'direct'>;
  readonly files: ToolFiles;
  readonly writes: Pick<FileWrites, 'create' | 'update'>;
  readonly pdf: PdfReader;
  readonly searchPlaces: SearchPlaces;
  readonly understand: Understand;
}

/** Where new memories of an agent go: seen by all of its turns, or by those of the same identity; `off`: it has no memory. */
type MemoryMode = 'shared' | 'identity' | 'off';

const OPTION = 'option.svc/memory';
const CAPABILITY = 'memory';
const LIST_MAX = 200;
const PATH = { type: 'string', minLength: 1, maxLength: 1024, description: 'such as /preferences.md' } as const;
const CONTENT = { type: 'string' } as const;

/** search_memory, list_memory, read_memory, create_memory, update_memory: files of purpose MEMORY. */
export const memoryTools = (deps: MemoryToolsDeps): ToolSource => {
  const toolsOf = (mode: MemoryMode): readonly Tool[] => [
    searchMemory(deps),
    listMemory(deps),
    readMemory(deps, mode),
    createMemory(deps, mode),
    updateMemory(deps, mode),
  ];
  return {
    name: CAPABILITY,
    toolsets: [CAPABILITY],
    names: toolsOf('shared').map(({ name }) => name),
    concerns: ({ capabilities }) => (capabilities[CAPABILITY] ?? []).length > 0,
    tools: async ({ grants: { namespace, agent } }) => {
      const mode = await memoryMode(deps.store.direct, namespace, agent);
      return mode === 'off' ? [] : toolsOf(mode);
    },
  };
};

/** What the annotation of the agent says; a value that it cannot have, of a release to come, shows nothing. */
export const memoryMode = async (
  reads: Pick<ReadTx, 'resources'>,
  namespace: string,
  agent: string,
): Promise<MemoryMode> => {
  const said = (await reads.resources.get(recordKey('Agent', namespace, agent)))?.annotations[OPTION] ?? 'shared';
  return said === 'shared' || said === 'identity' ? said : 'off';
};

const memoryTool = (
  tool: Pick<Tool, 'name' | 'description' | 'effect' | 'run'> & {
    readonly action: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required: readonly string[];
  },
): Tool => {
  const { action, properties, required, ...rest } = tool;
  return {
    ...rest,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    capability: { name: CAPABILITY, action },
  };
};

const searchMemory = ({ store, searchPlaces, understand }: MemoryToolsDeps): Tool =>
  memoryTool({
    name: 'search_memory',
    description: 'Searches what was remembered in earlier conversations; answers the best matches with a snippet.',
    action: 'inspect',
    effect: 'read',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 1024, pattern: '\\S' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 5 },
    },
    required: ['query'],
    run: async ({ namespace, identity }, input) => {
      const query = textOrEmpty(input['query']);
      const limit = numberOf(input['limit'], 5);
      const meant = await understand(query, namespace);
      const found = await store.read((tx) =>
        searchPlaces(tx, memoryPlaces(namespace, identity), {
          query,
          limit,
          meant,
          keep: async ({ kind, name }) => kind === 'File' && isMemory(await tx.resources.get(fileKey(namespace, name))),
        }),
      );
      return jsonResult({
        ...(meant !== undefined && 'notice' in meant ? { notice: meant.notice } : {}),
        results: found.map(({ path, snippet, score, updatedAt }) => ({
          path,
          snippet,
          score: Math.round(score * 1_000) / 1_000,
          updated_at: shownTime(updatedAt),
        })),
      });
    },
  });

const listMemory = ({ files }: MemoryToolsDeps): Tool =>
  memoryTool({
    name: 'list_memory',
    description: 'Lists what was remembered in earlier conversations, by path.',
    action: 'inspect',
    effect: 'read',
    properties: { prefix: { type: 'string', maxLength: 1024, description: 'folder; left out: all' } },
    required: [],
    run: async (context, input) => {
      const given = textOrEmpty(input['prefix']);
      const prefix = given === '' || given.startsWith('/') ? given : `/${given}`;
      const asked = { prefix, purpose: FilePurpose.MEMORY, size: LIST_MAX };
      const { records, isCut } = await files.list(context, {}, asked);
      return jsonResult({ memories: records.map(shown), truncated: isCut });
    },
  });

const readMemory = ({ files, pdf }: MemoryToolsDeps, mode: MemoryMode): Tool =>
  memoryTool({
    name: 'read_memory',
    description: 'Reads something that was remembered. A long text comes in parts: continue at next_offset.',
    action: 'read',
    effect: 'read',
    properties: { path: PATH, ...PART_ARGUMENTS },
    required: ['path'],
    run: async (context, input) => {
      const record = await find(files, context, { input, mode });
      return contentResult(pdf, { facts: shown(record), ...files.content(record) }, input);
    },
  });

const createMemory = ({ writes }: MemoryToolsDeps, mode: MemoryMode): Tool =>
  memoryTool({
    name: 'create_memory',
    description: 'Remembers a text for later conversations.',
    action: 'create',
    effect: 'write',
    properties: { path: PATH, content: CONTENT },
    required: ['path', 'content'],
    run: async (context, input) => {
      const path = placeOf(context, input, mode);
      const record = await writes.create(toolOrigin(context, 'create_memory'), {
        namespace: context.namespace,
        file: newFile(path, {
          mediaType: textTypeOf(path),
          purpose: FilePurpose.MEMORY,
          indexPolicy: FileIndexPolicy.SEARCH,
        }),
        content: contentOf(input),
        filename: '',
        session: { id: context.sessionId, agent: context.agent },
        once: onceFor(context),
      });
      return jsonResult(shown(record));
    },
  });

const updateMemory = ({ files, writes }: MemoryToolsDeps, mode: MemoryMode): Tool =>
  memoryTool({
    name: 'update_memory',
    description: 'Replaces something that was remembered.',
    action: 'update',
    effect: 'write',
    properties: { path: PATH, content: CONTENT },
    required: ['path', 'content'],
    run: async (context, input) => {
      const { key } = await find(files, context, { input, mode });
      const record = await writes.update(toolOrigin(context, 'update_memory'), key, {
        file: undefined,
        content: contentOf(input),
        filename: '',
        once: onceFor(context),
      });
      return jsonResult(shown(record));
    },
  });

/** Where a new memory is kept. Throws FILE_PATH for a folder of another identity. */
const placeOf = (context: ToolContext, input: ToolInput, mode: MemoryMode): string => {
  const path = pathOf(input);
  requireOwnPath(context, path);
  return mode === 'shared' || ownerOf(path) !== undefined ? path : ownPath(context.identity, path);
};

const ownPath = (identity: string, path: string): string => `${identityFolder(identity)}${path.slice(1)}`;

/** The memory at a path as it was written or is listed; of two the one where new ones go. Throws FILE_NOT_FOUND. */
const find = async (
  files: ToolFiles,
  context: ToolContext,
  { input, mode }: { readonly input: ToolInput; readonly mode: MemoryMode },
): Promise<StoredResource> => {
  const path = pathOf(input);
  const own = ownPath(context.identity, path);
  const places = ownerOf(path) !== undefined ? [path] : mode === 'shared' ? [path, own] : [own, path];
  for (const place of places) {
    const record = await unlessMissing(files.find(context, { path: place }));
    if (record !== undefined && isMemory(record)) return record;
  }
  throw resourceNotFound(fileKey(context.namespace, path));
};

const unlessMissing = async (found: Promise<StoredResource>): Promise<StoredResource | undefined> => {
  try {
    return await found;
  } catch (error) {
    if (isFault(error) && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

const isMemory = (record: StoredResource | undefined): boolean =>
  record !== undefined && fileSpec(record).purpose === FilePurpose.MEMORY;

/** A memory as tools describe it. */
const shown = (record: StoredResource) => {
  const { path } = fileSpec(record);
  const object = objectOf(record.annotations);
  return {
    path,
    owner: ownerOf(path) === undefined ? 'shared' : 'identity',
    size_bytes: object?.sizeBytes ?? 0,
    updated_at: shownTime(object?.updatedAt ?? record.createdAt),
  };
};
