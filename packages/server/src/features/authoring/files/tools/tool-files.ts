import { FilePurpose } from '@svc/api/resources';
import { invalidField, isFault, textOrEmpty } from '../../../../base/index.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import { resourceNotFound } from '../../../../resources/index.ts';
import type { ReadTx, Store, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { namespaceOf, shownTime } from '../../../../tools/authority-contract.ts';
import type { ToolContext } from '../../../../tools/contract.ts';
import type { ActiveSkillFiles } from '../../../../tools/skill-contract.ts';
import { fileSpec, objectOf } from '../file-facts.ts';
import type { FileReads } from '../file-reads.ts';
import { isForIdentity, skillOfPath } from '../file-rules.ts';
import { fileKey } from '../file-writes.ts';
import { serverFileContent, serverFilePath, shownServerFile } from './server-files.ts';
import type { ToolContent } from './tool-content.ts';

export interface ToolFilesDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly reads: Pick<FileReads, 'find' | 'list' | 'bytes'>;
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
  /** The namespace of a skill that is active in the session; undefined for any other name. */
  readonly activeSkill: (
    session: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
    name: string,
  ) => Promise<string | undefined>;
  /** Files of skills of MCP servers, below `/skills/<server>/<skill>/`. */
  readonly skillFiles: ActiveSkillFiles;
}

export type ToolInput = Readonly<Record<string, unknown>>;

/** The path in the arguments of a call, which may leave out the first slash. */
export const pathOf = (input: ToolInput): string => {
  const path = String(input['path'] ?? '');
  return path.startsWith('/') ? path : `/${path}`;
};

/** The text in the arguments of a call. */
export const contentOf = (input: ToolInput): Uint8Array => new TextEncoder().encode(textOrEmpty(input['content']));

/** Throws FILE_PATH for a folder of another identity. */
export const requireOwnPath = ({ identity }: ToolContext, path: string): void => {
  if (!isForIdentity(path, identity))
    throw invalidField('path', 'lies in a folder that belongs to another identity', 'FILE_PATH');
};

/** The effect of a call, once for all of its runs. */
export const onceFor =
  ({ idempotencyKey }: ToolContext) =>
  <A>(tx: WriteTx, effect: () => Promise<A>): Promise<A> =>
    oncePerCall(tx, idempotencyKey, effect);

/** Where the files of skills are. */
const SKILLS_FOLDER = '/skills/';

/** Skills of servers are those of the agent, whichever other namespace a call asks about. */
const isOwnNamespace = ({ namespace }: ToolContext, input: ToolInput): boolean =>
  input['namespace'] === undefined || input['namespace'] === namespace;

/** A file that a turn may see, with what tools say of it. */
export interface OpenFile extends ToolContent {
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Files as a turn may see them: those of its namespace, without the files of other identities and without the files of skills that are
 * not active in its session. What it may not see is missing to it.
 */
export class ToolFiles {
  readonly #deps: ToolFilesDeps;

  constructor(deps: ToolFilesDeps) {
    this.#deps = deps;
  }

  /** The namespace the call acts in. Throws PERMISSION_DENIED. */
  namespace(context: ToolContext, input: ToolInput): Promise<string> {
    const { store, visibleNamespaces } = this.#deps;
    return namespaceOf(context, input['namespace'], (name) => visibleNamespaces(store.direct, name));
  }

  /** Throws FILE_NOT_FOUND, PERMISSION_DENIED. */
  async find(context: ToolContext, input: ToolInput): Promise<StoredResource> {
    const path = pathOf(input);
    const namespace = await this.namespace(context, input);
    const skill = skillOfPath(path);
    // The files of a skill lie where the skill does, which may be an ancestor.
    const place = skill === undefined ? undefined : await this.#deps.activeSkill(context, skill);
    const record = await this.#deps.reads.find(fileKey(place ?? namespace, path));
    const isOwn = record.key.namespace === namespace || fileSpec(record).purpose === FilePurpose.SKILL;
    if (!isOwn || !(await this.isSeen(context, record))) throw resourceNotFound(record.key);
    return record;
  }

  /** What a tool shows of a file, also one of a skill of an MCP server. Throws FILE_NOT_FOUND, PERMISSION_DENIED. */
  async open(context: ToolContext, input: ToolInput): Promise<OpenFile> {
    try {
      const record = await this.find(context, input);
      return { facts: shownFile(record), ...this.content(record) };
    } catch (error) {
      // What the store has comes first: no server puts a file in its place.
      const isMissing = isFault(error) && error.reason === 'FILE_NOT_FOUND';
      const found = isMissing ? await this.#ofServer(context, input) : undefined;
      if (found === undefined) throw error;
      return found;
    }
  }

  async #ofServer(context: ToolContext, input: ToolInput): Promise<OpenFile | undefined> {
    const path = pathOf(input);
    if (!path.startsWith(SKILLS_FOLDER) || !isOwnNamespace(context, input)) return undefined;
    const { skillFiles } = this.#deps;
    const file = (await skillFiles.list(context)).find((one) => serverFilePath(one) === path);
    return file === undefined
      ? undefined
      : { facts: shownServerFile(file), ...serverFileContent(file, () => skillFiles.read(context, file)) };
  }

  /** Files of skills of MCP servers below a prefix, as tools describe them. */
  async serverFiles(context: ToolContext, input: ToolInput, prefix: string): Promise<readonly object[]> {
    const mayBe = prefix.startsWith(SKILLS_FOLDER) || SKILLS_FOLDER.startsWith(prefix);
    if (!mayBe || !isOwnNamespace(context, input)) return [];
    const files = await this.#deps.skillFiles.list(context);
    return files.filter((file) => serverFilePath(file).startsWith(prefix)).map(shownServerFile);
  }

  /** Files below a prefix by path, and whether there are more. Throws PERMISSION_DENIED. */
  async list(
    context: ToolContext,
    input: ToolInput,
    asked: { readonly prefix: string; readonly purpose: FilePurpose; readonly size: number },
  ): Promise<{ readonly records: readonly StoredResource[]; readonly isCut: boolean }> {
    const namespace = await this.namespace(context, input);
    const seen: StoredResource[] = [];
    for (let pageToken = ''; ; ) {
      const page = await this.#deps.reads.list({
        namespace,
        pathPrefix: asked.prefix,
        purpose: asked.purpose,
        pageSize: 0,
        pageToken,
        labelSelector: '',
        metadataOnly: false,
      });
      for (const record of page.records) if (await this.isSeen(context, record)) seen.push(record);
      pageToken = page.nextPageToken;
      if (pageToken === '' || seen.length > asked.size) break;
    }
    const records = seen.slice(0, asked.size).sort((left, right) => (pathIn(left) < pathIn(right) ? -1 : 1));
    return { records, isCut: seen.length > asked.size };
  }

  /** Reading it throws OBJECT_DAMAGED. */
  content(record: StoredResource): ToolContent {
    const { filename = '', sizeBytes = 0 } = objectOf(record.annotations) ?? {};
    return {
      mediaType: fileSpec(record).mediaType,
      filename,
      sizeBytes,
      read: async () => (await this.#deps.reads.bytes(record)) ?? new Uint8Array(0),
    };
  }

  /** Whether the turn may see the file, as far as its owner and its skill go. */
  async isSeen(context: ToolContext, record: StoredResource): Promise<boolean> {
    const { path, purpose } = fileSpec(record);
    if (!isForIdentity(path, context.identity)) return false;
    const skill = purpose === FilePurpose.SKILL ? skillOfPath(path) : undefined;
    return skill === undefined || (await this.#deps.activeSkill(context, skill)) !== undefined;
  }
}

const pathIn = (record: StoredResource): string => fileSpec(record).path;

/** Purposes and index policies by the words that tools use. */
export const PURPOSES: Readonly<Record<string, FilePurpose>> = {
  memory: FilePurpose.MEMORY,
  artifact: FilePurpose.ARTIFACT,
  skill: FilePurpose.SKILL,
};

/** A file as tools describe it. */
export const shownFile = (record: StoredResource) => {
  const { path, mediaType, purpose } = fileSpec(record);
  const object = objectOf(record.annotations);
  return {
    path,
    uri: `file://${record.key.namespace}/${record.key.name}`,
    media_type: mediaType,
    purpose: Object.keys(PURPOSES).find((word) => PURPOSES[word] === purpose) ?? '',
    size_bytes: object?.sizeBytes ?? 0,
    updated_at: shownTime(object?.updatedAt ?? record.createdAt),
  };
};
