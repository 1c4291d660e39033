import { create } from '@bufbuild/protobuf';
import { ArtifactAccessSchema } from '@svc/api/data';
import { invalidField, textOrEmpty } from '../../../../base/index.ts';
import type { BlobStore } from '../../../../store/contracts/index.ts';
import { jsonResult, numberOf, PART_ARGUMENTS, shownTime, toolOrigin } from '../../../../tools/authority-contract.ts';
import type { Tool, ToolContext, ToolSource } from '../../../../tools/contract.ts';
import { type Artifacts, artifactUri, type StoredArtifact } from '../artifacts/index.ts';
import type { PdfReader } from '../file-text.ts';
import { contentResult, MEDIA_TYPE_ARGUMENT } from './tool-content.ts';
import { onceFor, type ToolInput } from './tool-files.ts';

export interface ArtifactToolsDeps {
  readonly artifacts: Artifacts;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly pdf: PdfReader;
}

const MICROS = 1_000_000;
const GRANT_SECONDS = 86_400;
const GRANT_SECONDS_MAX = 30 * GRANT_SECONDS;
const OPERATIONS = ['read', 'metadata', 'promote'] as const;
const TITLE = { type: 'string', minLength: 1, maxLength: 200 } as const;
const URI = { type: 'string', minLength: 1, maxLength: 1024, description: 'artifact://...' } as const;
const CONTENT = {
  media_type: { ...MEDIA_TYPE_ARGUMENT, description: 'such as text/csv; left out: text/markdown, binary for base64' },
  content: { type: 'string', description: 'the text' },
  content_base64: { type: 'string', contentEncoding: 'base64', description: 'in place of content: other bytes' },
  labels: {
    type: 'object',
    maxProperties: 64,
    propertyNames: { pattern: '^(?!svc/)[A-Za-z0-9][A-Za-z0-9_./-]{0,316}$' },
    additionalProperties: { type: 'string', maxLength: 1024 },
  },
} as const;

/** create_artifact, update_artifact, read_artifact, get_artifact_metadata, grant_artifact: every agent has them. */
export const artifactTools = (deps: ArtifactToolsDeps): readonly Tool[] => [
  createArtifact(deps),
  updateArtifact(deps),
  readArtifact(deps),
  getMetadata(deps),
  grantArtifact(deps),
];

/** Offers nothing by itself: says that the toolset exists, whose tools need no grant. */
export const artifactToolset: ToolSource = {
  name: 'artifacts',
  toolsets: ['artifacts'],
  concerns: () => false,
  tools: async () => [],
};

const artifactTool = (
  tool: Pick<Tool, 'name' | 'description' | 'effect' | 'run'> & {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required: readonly string[];
  },
): Tool => {
  const { properties, required, ...rest } = tool;
  const inputSchema = { type: 'object', properties, required, additionalProperties: false };
  return { ...rest, inputSchema, needsTurn: true };
};

const createArtifact = ({ artifacts }: ArtifactToolsDeps): Tool =>
  artifactTool({
    name: 'create_artifact',
    description:
      'Keeps a result of this conversation, such as a report or a table, for people to download. It goes with the conversation unless promoted to a file.',
    effect: 'write',
    properties: { title: TITLE, ...CONTENT },
    required: ['title'],
    run: async (context, input) => {
      const { content = new Uint8Array(0), mediaType = 'text/markdown' } = givenContent(input);
      const title = textOrEmpty(input['title']);
      const made = await artifacts.create(toolOrigin(context, 'create_artifact'), placeOf(context), {
        title,
        mediaType,
        filename: filenameOf(title),
        content,
        labels: labelsOf(input) ?? {},
        once: onceFor(context),
      });
      return jsonResult(shown(made));
    },
  });

const updateArtifact = ({ artifacts }: ArtifactToolsDeps): Tool =>
  artifactTool({
    name: 'update_artifact',
    description: 'Changes an artifact of this conversation; what is left out stays.',
    effect: 'write',
    properties: { artifact_uri: URI, title: TITLE, ...CONTENT },
    required: ['artifact_uri'],
    run: async (context, input) => {
      const { id } = await own(artifacts, context, input);
      const { title } = input;
      const changed = await artifacts.update(
        toolOrigin(context, 'update_artifact'),
        { place: placeOf(context), id },
        {
          ...givenContent(input),
          title: typeof title === 'string' ? title : undefined,
          labels: labelsOf(input),
          once: onceFor(context),
        },
      );
      return jsonResult(shown(changed));
    },
  });

const readArtifact = ({ artifacts, blobs, pdf }: ArtifactToolsDeps): Tool =>
  artifactTool({
    name: 'read_artifact',
    description:
      'Reads an artifact of this conversation, or one that was granted to it. A long text comes in parts: continue at next_offset.',
    effect: 'read',
    properties: { artifact_uri: URI, ...PART_ARGUMENTS },
    required: ['artifact_uri'],
    run: async (context, input) => {
      const artifact = await artifacts.open(placeOf(context), textOrEmpty(input['artifact_uri']), 'read');
      const { mediaType, filename, sizeBytes, sha256 } = artifact;
      const read = () => blobs.read(sha256);
      return contentResult(pdf, { facts: shown(artifact), mediaType, filename, sizeBytes, read }, input);
    },
  });

const getMetadata = ({ artifacts }: ArtifactToolsDeps): Tool =>
  artifactTool({
    name: 'get_artifact_metadata',
    description: 'Describes an artifact: title, media type, size, labels.',
    effect: 'read',
    properties: { artifact_uri: URI },
    required: ['artifact_uri'],
    run: async (context, input) =>
      jsonResult(shown(await artifacts.open(placeOf(context), textOrEmpty(input['artifact_uri']), 'metadata'))),
  });

const grantArtifact = ({ artifacts }: ArtifactToolsDeps): Tool =>
  artifactTool({
    name: 'grant_artifact',
    description: 'Lets another agent, or one session of it, use an artifact of this conversation for a limited time.',
    effect: 'write',
    properties: {
      artifact_uri: URI,
      target_agent: { type: 'string', minLength: 1, maxLength: 63 },
      target_session_id: { type: 'string', minLength: 36, maxLength: 36 },
      operations: { type: 'array', items: { type: 'string', enum: OPERATIONS }, minItems: 1, default: ['read'] },
      ttl_seconds: { type: 'integer', minimum: 1, maximum: GRANT_SECONDS_MAX, default: GRANT_SECONDS },
    },
    required: ['artifact_uri'],
    run: async (context, input) => {
      const { id } = await own(artifacts, context, input);
      const access = create(ArtifactAccessSchema, {
        targetAgent: textOrEmpty(input['target_agent']),
        targetSessionId: textOrEmpty(input['target_session_id']),
        operations: Array.isArray(input['operations']) ? input['operations'].map(String) : ['read', 'metadata'],
        expiresAt: BigInt(context.nowMicros + numberOf(input['ttl_seconds'], GRANT_SECONDS) * MICROS),
        grantedByAgent: context.agent,
        grantedBySessionId: context.sessionId,
      });
      const origin = toolOrigin(context, 'grant_artifact');
      const names = { place: placeOf(context), id, once: onceFor(context) };
      const grant = await artifacts.grant(origin, names, access);
      return jsonResult({
        artifact_uri: textOrEmpty(input['artifact_uri']),
        target_agent: grant.targetAgent,
        target_session_id: grant.targetSessionId,
        operations: grant.operations,
        expires_at: shownTime(grant.expiresAt),
      });
    },
  });

const placeOf = ({ namespace, agent, sessionId }: ToolContext) => ({ ns: namespace, agent, sessionId });

/** An artifact of the session itself: grants let others read, never change. Throws ARTIFACT_NOT_FOUND. */
const own = async (artifacts: Artifacts, context: ToolContext, input: ToolInput): Promise<StoredArtifact> => {
  const uri = textOrEmpty(input['artifact_uri']);
  const artifact = await artifacts.open(placeOf(context), uri, 'metadata');
  if (artifact.sessionId !== context.sessionId)
    throw invalidField('artifact_uri', 'is an artifact of another session, which this one cannot change');
  return artifact;
};

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Throws FIELD_INVALID for two contents, and for text that is not base64. */
const givenContent = (input: ToolInput): { readonly content?: Uint8Array; readonly mediaType?: string } => {
  const { content, content_base64: base64, media_type: mediaType } = input;
  const type = typeof mediaType === 'string' ? { mediaType } : {};
  if (typeof base64 !== 'string')
    return typeof content === 'string' ? { content: new TextEncoder().encode(content), ...type } : type;
  if (content !== undefined) throw invalidField('content_base64', 'cannot be given together with content');
  const bytes = Buffer.from(base64, 'base64');
  if (!BASE64.test(base64) || base64.replace(/=+$/, '').length % 4 === 1)
    throw invalidField('content_base64', 'is not base64');
  return { mediaType: 'application/octet-stream', ...type, content: bytes };
};

const labelsOf = (input: ToolInput): Readonly<Record<string, string>> | undefined =>
  input['labels'] as Readonly<Record<string, string>> | undefined;

const FILENAME_MAX = 100;

/** A text, such as a title, as the name of a file. */
export const filenameOf = (title: string): string => {
  const name = title
    .toWellFormed()
    .replace(/[\p{Cc}/\\]/gu, '-')
    .slice(0, FILENAME_MAX)
    .toWellFormed()
    .trim();
  return name === '' || name === '.' || name === '..' ? 'artifact' : name;
};

/** An artifact as tools describe it. */
const shown = (artifact: StoredArtifact) => ({
  artifact_uri: artifactUri(artifact),
  title: artifact.title,
  media_type: artifact.mediaType,
  size_bytes: artifact.sizeBytes,
  created_by: artifact.agent,
  created_at: shownTime(artifact.createdAt),
  ...(Object.keys(artifact.labels).length === 0 ? {} : { labels: artifact.labels }),
});
