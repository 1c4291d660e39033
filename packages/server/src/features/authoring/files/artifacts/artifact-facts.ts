import { create } from '@bufbuild/protobuf';
import { type Artifact, ArtifactSchema } from '@svc/api/data';
import { notFound } from '../../../../base/index.ts';
import type { ArtifactRow } from '../../../../store/contracts/index.ts';
import { objectKey } from '../objects/index.ts';

/** What a grant may allow. */
export const ARTIFACT_OPERATIONS = ['read', 'metadata', 'promote'] as const;
export type ArtifactOperation = (typeof ARTIFACT_OPERATIONS)[number];

/** Leave for another agent or session to use an artifact; an absent target means any. */
export interface ArtifactGrant {
  readonly targetAgent: string;
  readonly targetSessionId: string;
  readonly operations: readonly ArtifactOperation[];
  /** Micros. */
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly grantedByAgent: string;
  readonly grantedBySessionId: string;
}

/** Everything about an artifact but its id and session. */
interface ArtifactFacts {
  readonly namespace: string;
  readonly agent: string;
  readonly title: string;
  readonly mediaType: string;
  readonly filename: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Micros. */
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly grants: readonly ArtifactGrant[];
}

/** An artifact with the names under which it is kept. */
export interface StoredArtifact extends ArtifactFacts {
  readonly id: string;
  readonly sessionId: string;
}

/** The three names of a session. */
export interface ArtifactPlace {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
}

export const artifactOf = (row: ArtifactRow): StoredArtifact => ({
  ...(JSON.parse(row.body) as ArtifactFacts),
  id: row.id,
  sessionId: row.sessionId,
});

export const artifactRow = ({ id, sessionId, ...facts }: StoredArtifact): ArtifactRow => ({
  id,
  sessionId,
  body: JSON.stringify(facts),
});

/** NOT_FOUND ARTIFACT_NOT_FOUND, also for one that the asker may not know of. */
export const artifactNotFound = (place: ArtifactPlace, id: string) =>
  notFound('Artifact', { ns: place.ns, agent: place.agent, session_id: place.sessionId, artifact_id: id });

/** `artifact://ns/agent/session/id`. */
export const artifactUri = ({ namespace, agent, sessionId, id }: StoredArtifact): string =>
  `artifact://${namespace}/${agent}/${sessionId}/${id}`;

/** Names in an artifact URI; undefined for any other text. */
export const readArtifactUri = (uri: string): (ArtifactPlace & { readonly id: string }) | undefined => {
  const [, ns, agent, sessionId, id] = /^artifact:\/\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  if (ns === undefined || agent === undefined || sessionId === undefined || id === undefined) return undefined;
  return { ns, agent, sessionId, id };
};

/** As callers see it; without its grants. */
export const artifactMessage = (artifact: StoredArtifact): Artifact =>
  create(ArtifactSchema, {
    id: artifact.id,
    sessionId: artifact.sessionId,
    title: artifact.title,
    mediaType: artifact.mediaType,
    createdByAgent: artifact.agent,
    createdAt: BigInt(artifact.createdAt),
    labels: { ...artifact.labels },
    metadata: { ...artifact.metadata },
    objectRef: {
      key: objectKey(artifact.namespace, artifact.sha256),
      mediaType: artifact.mediaType,
      sizeBytes: BigInt(artifact.sizeBytes),
      sha256: artifact.sha256,
      filename: artifact.filename,
    },
  });
