import { create } from '@bufbuild/protobuf';
import { ArtifactAccessSchema } from '@svc/api/data';
import { Fault, invalidField } from '../../../../base/index.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import { toolOrigin } from '../../../../tools/authority-contract.ts';
import type { ToolContext } from '../../../../tools/contract.ts';
import { type Artifacts, artifactMessage, artifactUri } from '../artifacts/index.ts';
import { filenameOf } from './artifact-tools.ts';

/** What a session that is given work may do with the artifacts that come with it. */
const OPERATIONS = ['read', 'metadata'];

/** Lets the session of another agent read artifacts of the session that calls. */
export type ShareArtifacts = (
  context: ToolContext,
  uris: readonly string[],
  target: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
) => Promise<void>;

/** A second grant to the same session takes the place of the first, so a call may run again. Throws ARTIFACT_NOT_FOUND, FIELD_INVALID. */
export const shareArtifacts =
  (artifacts: Artifacts): ShareArtifacts =>
  async (context, uris, target) => {
    const place = { ns: context.namespace, agent: context.agent, sessionId: context.sessionId };
    for (const uri of uris) {
      const artifact = await artifacts.open(place, uri, 'metadata');
      if (artifact.sessionId !== context.sessionId)
        throw invalidField('artifact_uris', `${uri} is an artifact of another session`);
      if (target.namespace !== artifact.namespace)
        throw new Fault('FAILED_PRECONDITION', 'OTHER_NAMESPACE', 'artifacts cannot be shared with another namespace');
      const access = create(ArtifactAccessSchema, {
        targetAgent: target.agent,
        targetSessionId: target.sessionId,
        operations: OPERATIONS,
        grantedByAgent: context.agent,
        grantedBySessionId: context.sessionId,
      });
      await artifacts.grant(toolOrigin(context, 'agent_send'), { place, id: artifact.id }, access);
    }
  };

/** Gives artifacts of the session that calls to another session, and answers where their content is. */
export type HandOverArtifacts = (
  context: ToolContext,
  uris: readonly string[],
  /** Absent: no one in particular. */
  target: Parameters<ShareArtifacts>[2] | undefined,
) => Promise<
  readonly {
    readonly key: string;
    readonly mediaType: string;
    readonly sizeBytes: bigint;
    readonly sha256: string;
    readonly filename: string;
  }[]
>;

/** Throws as `shareArtifacts`. */
export const handOverArtifacts =
  (artifacts: Artifacts): HandOverArtifacts =>
  async (context, uris, target) => {
    const place = { ns: context.namespace, agent: context.agent, sessionId: context.sessionId };
    const found: Awaited<ReturnType<HandOverArtifacts>>[number][] = [];
    for (const uri of uris) {
      const artifact = await artifacts.open(place, uri, 'read');
      if (artifact.sessionId !== context.sessionId)
        throw invalidField('output_artifact_uris', `${uri} is an artifact of another session`);
      const { key = '' } = artifactMessage(artifact).objectRef ?? {};
      const { mediaType, sizeBytes, sha256, filename } = artifact;
      found.push({ key, mediaType, sizeBytes: BigInt(sizeBytes), sha256, filename });
    }
    if (target !== undefined) await shareArtifacts(artifacts)(context, uris, target);
    return found;
  };

/** Objects of artifacts that the session of a call may read, by their addresses. */
export type ArtifactObjects = (context: ToolContext, uris: readonly string[]) => Promise<readonly ObjectData[]>;

/** Throws ARTIFACT_NOT_FOUND. */
export const artifactObjects =
  (artifacts: Artifacts): ArtifactObjects =>
  async ({ namespace: ns, agent, sessionId }, uris) => {
    const found: ObjectData[] = [];
    for (const uri of uris) {
      const { sha256, sizeBytes, mediaType, filename } = await artifacts.open({ ns, agent, sessionId }, uri, 'read');
      found.push({ key: sha256, sha256, sizeBytes, mediaType, filename });
    }
    return found;
  };

/** Keeps bytes that another agent answered as an artifact of the session that asked; answers its URI. */
export type KeepArtifact = (
  sender: Pick<ToolContext, 'namespace' | 'agent' | 'sessionId' | 'turnId' | 'identity'>,
  file: {
    /** One artifact for each key, however often it is kept. */
    readonly key: string;
    readonly mediaType: string;
    readonly filename: string;
    readonly content: Uint8Array;
  },
) => Promise<string>;

/** Throws TOO_LARGE, SESSION_NOT_FOUND, NAMESPACE_DELETED. */
export const keepArtifact =
  (artifacts: Artifacts): KeepArtifact =>
  async (sender, { key, mediaType, filename: named, content }) => {
    const filename = filenameOf(named);
    const { namespace: ns, agent, sessionId } = sender;
    const kept = await artifacts.create(
      toolOrigin(sender, 'agent_send'),
      { ns, agent, sessionId },
      {
        title: filename,
        mediaType,
        filename,
        content,
        labels: {},
        once: (tx, effect) => oncePerCall(tx, key, effect),
      },
    );
    return artifactUri(kept);
  };
