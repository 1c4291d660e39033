import { create } from '@bufbuild/protobuf';
import { FileIndexPolicy, FilePurpose, FileRetention, FileSchema, FileSpecSchema } from '@svc/api/resources';
import { invalidField, textOrEmpty } from '../../../../base/index.ts';
import type { ResourceWriter } from '../../../../controllers/contract.ts';
import { earlierAnswer, oncePerCall } from '../../../../idempotency/index.ts';
import type { Store, StoredResource } from '../../../../store/contracts/index.ts';
import { jsonResult, NAMESPACE_ARGUMENT, PART_ARGUMENTS, toolOrigin } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext } from '../../../../tools/contract.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { PdfReader } from '../file-text.ts';
import type { FileWrites } from '../file-writes.ts';
import { contentResult, MEDIA_TYPE_ARGUMENT, textTypeOf } from './tool-content.ts';
import {
  contentOf,
  onceFor,
  PURPOSES,
  pathOf,
  requireOwnPath,
  shownFile,
  type ToolFiles,
  type ToolInput,
} from './tool-files.ts';

export interface FileToolsDeps {
  readonly store: Pick<Store, 'write' | 'direct' | 'steadyNow'>;
  readonly writer: Pick<ResourceWriter, 'remove'>;
  readonly files: ToolFiles;
  readonly writes: Pick<FileWrites, 'create' | 'update'>;
  readonly artifacts: Pick<Artifacts, 'open' | 'promote'>;
  readonly pdf: PdfReader;
}

const LIST_MAX = 200;
const PATH = { type: 'string', minLength: 1, maxLength: 1024, description: 'such as /reports/2026.md' } as const;
const POLICIES: Readonly<Record<string, FileIndexPolicy>> = {
  none: FileIndexPolicy.NONE,
  search: FileIndexPolicy.SEARCH,
  retrieval: FileIndexPolicy.RETRIEVAL,
};
const FACTS = {
  media_type: MEDIA_TYPE_ARGUMENT,
  purpose: { type: 'string', enum: Object.keys(PURPOSES) },
  index_policy: {
    type: 'string',
    enum: Object.keys(POLICIES),
    description: 'search: found by search; retrieval: also by knowledge_search',
  },
} as const;

/** list_files, get_file_metadata, read_file, create_file, update_file, delete_file, promote_artifact. */
export const fileTools = (deps: FileToolsDeps): readonly Tool[] => [
  listFiles(deps),
  getMetadata(deps),
  readFile(deps),
  createFile(deps),
  updateFile(deps),
  deleteFile(deps),
  promoteArtifact(deps),
];

const fileTool = (
  tool: Pick<Tool, 'name' | 'description' | 'effect' | 'run'> & {
    readonly action: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  },
): Tool => ({
  name: tool.name,
  description: tool.description,
  effect: tool.effect,
  run: tool.run,
  inputSchema: {
    type: 'object',
    properties: tool.properties,
    required: tool.required ?? ['path'],
    additionalProperties: false,
  },
  capability: { name: 'files', action: tool.action },
});

const listFiles = ({ files }: FileToolsDeps): Tool =>
  fileTool({
    name: 'list_files',
    description: 'Lists the files of this workspace with size and media type.',
    action: 'inspect',
    effect: 'read',
    properties: {
      prefix: { type: 'string', maxLength: 1024, description: 'folder such as /reports; left out: all' },
      purpose: FACTS.purpose,
      namespace: NAMESPACE_ARGUMENT,
    },
    required: [],
    run: async (context, input) => {
      const prefix = textOrEmpty(input['prefix']);
      const below = prefix === '' || prefix.startsWith('/') ? prefix : `/${prefix}`;
      const purpose = PURPOSES[textOrEmpty(input['purpose'])] ?? FilePurpose.UNSPECIFIED;
      const { records, isCut } = await files.list(context, input, { prefix: below, purpose, size: LIST_MAX });
      const isOfSkills = purpose === FilePurpose.UNSPECIFIED || purpose === FilePurpose.SKILL;
      const ofServers = isOfSkills && !isCut ? await files.serverFiles(context, input, below) : [];
      const all = [...records.map(shownFile), ...ofServers];
      return jsonResult({ files: all.slice(0, LIST_MAX), truncated: isCut || all.length > LIST_MAX });
    },
  });

const getMetadata = ({ files }: FileToolsDeps): Tool =>
  fileTool({
    name: 'get_file_metadata',
    description: 'Describes a file of this workspace: size, media type, purpose, time of the last change.',
    action: 'inspect',
    effect: 'read',
    properties: { path: PATH, namespace: NAMESPACE_ARGUMENT },
    run: async (context, input) => jsonResult((await files.open(context, input)).facts),
  });

const readFile = ({ files, pdf }: FileToolsDeps): Tool =>
  fileTool({
    name: 'read_file',
    description: 'Reads a file of this workspace. A long text comes in parts: continue at next_offset.',
    action: 'read',
    effect: 'read',
    properties: { path: PATH, ...PART_ARGUMENTS, namespace: NAMESPACE_ARGUMENT },
    run: async (context, input) => {
      return contentResult(pdf, await files.open(context, input), input);
    },
  });

const createFile = ({ files, writes }: FileToolsDeps): Tool =>
  fileTool({
    name: 'create_file',
    description: 'Creates a text file in this workspace; it is kept after this conversation.',
    action: 'create',
    effect: 'write',
    properties: { path: PATH, content: { type: 'string' }, ...FACTS, namespace: NAMESPACE_ARGUMENT },
    required: ['path', 'content'],
    run: async (context, input) => {
      const path = pathOf(input);
      requireOwnPath(context, path);
      const namespace = await files.namespace(context, input);
      const record = await writes.create(toolOrigin(context, 'create_file'), {
        namespace,
        file: newFile(path, { mediaType: textTypeOf(path), ...factsOf(input) }),
        content: contentOf(input),
        filename: '',
        session: { id: context.sessionId, agent: context.agent },
        once: onceFor(context),
      });
      return jsonResult(shownFile(record));
    },
  });

const updateFile = ({ files, writes }: FileToolsDeps): Tool =>
  fileTool({
    name: 'update_file',
    description: 'Replaces the content of a text file of this workspace.',
    action: 'update',
    effect: 'write',
    properties: { path: PATH, content: { type: 'string' }, ...FACTS, namespace: NAMESPACE_ARGUMENT },
    required: ['path', 'content'],
    run: async (context, input) => {
      const { key } = await ownFile(files, context, input);
      const record = await writes.update(toolOrigin(context, 'update_file'), key, {
        file: create(FileSchema, { spec: create(FileSpecSchema, factsOf(input)) }),
        content: contentOf(input),
        filename: '',
        once: onceFor(context),
      });
      return jsonResult(shownFile(record));
    },
  });

const deleteFile = ({ files, store, writer }: FileToolsDeps): Tool =>
  fileTool({
    name: 'delete_file',
    description: 'Deletes a file of this workspace.',
    action: 'delete',
    effect: 'write',
    properties: { path: PATH, namespace: NAMESPACE_ARGUMENT },
    run: async (context, input) => {
      // A run after a crash no longer finds the file.
      const earlier = await earlierAnswer(store, context.idempotencyKey);
      if (earlier !== undefined) return jsonResult(earlier);
      const { key } = await ownFile(files, context, input);
      const path = pathOf(input);
      return jsonResult(
        await store.write((tx) =>
          oncePerCall(tx, context.idempotencyKey, async () => {
            await writer.remove(tx, toolOrigin(context, 'delete_file'), { key });
            return { path, deleted: true };
          }),
        ),
      );
    },
  });

const promoteArtifact = ({ artifacts }: FileToolsDeps): Tool => ({
  needsTurn: true,
  ...fileTool({
    name: 'promote_artifact',
    description: 'Copies an artifact of a conversation into a file of this workspace, where it is kept.',
    action: 'create',
    effect: 'write',
    properties: { artifact_uri: { type: 'string', maxLength: 1024 }, path: PATH, index_policy: FACTS.index_policy },
    required: ['artifact_uri', 'path'],
    run: async (context, input) => {
      const path = pathOf(input);
      requireOwnPath(context, path);
      const { namespace: ns, agent, sessionId } = context;
      const artifact = await artifacts.open({ ns, agent, sessionId }, textOrEmpty(input['artifact_uri']), 'promote');
      const record = await artifacts.promote(toolOrigin(context, 'promote_artifact'), artifact, {
        file: newFile(path, factsOf(input)),
        session: { id: sessionId, agent },
        once: onceFor(context),
      });
      return jsonResult(shownFile(record));
    },
  }),
});

/** A file as tools make it: kept whatever happens to the session. */
export const newFile = (path: string, facts: Readonly<Record<string, unknown>>) =>
  create(FileSchema, { spec: create(FileSpecSchema, { ...facts, path, retention: FileRetention.RETAINED }) });

const factsOf = (input: ToolInput) => ({
  ...(typeof input['media_type'] === 'string' ? { mediaType: input['media_type'] } : {}),
  purpose: PURPOSES[textOrEmpty(input['purpose'])] ?? FilePurpose.UNSPECIFIED,
  indexPolicy: POLICIES[textOrEmpty(input['index_policy'])] ?? FileIndexPolicy.UNSPECIFIED,
});

/** A file to be changed: one of the namespace itself, not of a skill that is inherited. */
const ownFile = async (files: ToolFiles, context: ToolContext, input: ToolInput): Promise<StoredResource> => {
  const record = await files.find(context, input);
  if (record.key.namespace !== (await files.namespace(context, input)))
    throw invalidField('path', 'belongs to a skill of another namespace', 'FILE_PATH');
  return record;
};
