import { create } from '@bufbuild/protobuf';
import { ArtifactAccessSchema } from '@svc/api/data';
import {
  DeleteArtifactResponseSchema,
  FileResponseSchema,
  FileService,
  GrantArtifactResponseSchema,
  ListArtifactsResponseSchema,
  ReadArtifactResponseSchema,
} from '@svc/api/gateway';
import { FileSchema } from '@svc/api/resources';
import type { Authorizer } from '../../../../auth/contract.ts';
import { type HttpRoute, type Operation, operation, operator, viewer } from '../../../../operations/index.ts';
import { unlessLost } from '../file-damage.ts';
import { checkMode, showObject } from '../file-reads.ts';
import type { FileWrites } from '../file-writes.ts';
import { sendObject } from '../objects/index.ts';
import { artifactMessage } from './artifact-facts.ts';
import { Artifacts, type ArtifactsDeps } from './artifacts.ts';

interface ArtifactsFeature {
  readonly operations: readonly Operation[];
  readonly routes: readonly HttpRoute[];
  readonly artifacts: Artifacts;
}

/** Who may read an artifact may read its bytes. */
const READ_ARTIFACT = viewer('fields');

/** The artifact operations of FileService and the route of their bytes. */
export const artifactsFeature = (
  deps: ArtifactsDeps & { readonly authorizer: Authorizer },
  writes: FileWrites,
): ArtifactsFeature => {
  const artifacts = new Artifacts(deps, writes);
  const { method } = FileService;
  return {
    artifacts,
    operations: [
      operation(method.listArtifacts, {
        access: viewer('fields'),
        handle: async (request) => {
          const page = await artifacts.list(request, request);
          const shown = page.artifacts.map(artifactMessage);
          return create(ListArtifactsResponseSchema, { artifacts: shown, nextPageToken: page.nextPageToken });
        },
      }),
      operation(method.readArtifact, {
        access: READ_ARTIFACT,
        handle: async (request) => {
          checkMode(request.content);
          const artifact = await artifacts.find(request, request.artifactId);
          const shown = await unlessLost(() => showObject(deps, artifact, request.content));
          const { content, downloadUrl, expiresAt } = shown;
          const answer = { artifact: artifactMessage(artifact), content, downloadUrl, expiresAt: BigInt(expiresAt) };
          return create(ReadArtifactResponseSchema, answer);
        },
      }),
      operation(method.promoteArtifact, {
        access: operator('fields'),
        handle: async (request, call) => {
          const artifact = await artifacts.find(request, request.artifactId);
          const record = await artifacts.promote(call, artifact, { file: request.file });
          const secrets = deps.authorizer.readsSecrets(call.caller, { namespace: request.ns });
          return create(FileResponseSchema, { file: deps.views.full(FileSchema, record, { secrets }) });
        },
      }),
      operation(method.grantArtifact, {
        access: operator('fields'),
        handle: async (request, call) => {
          const names = { place: request, id: request.artifactId };
          const { expiresAt, createdAt, operations, ...grant } = await artifacts.grant(call, names, request.access);
          const times = { expiresAt: BigInt(expiresAt), createdAt: BigInt(createdAt) };
          const access = create(ArtifactAccessSchema, { ...grant, ...times, operations: [...operations] });
          return create(GrantArtifactResponseSchema, { access });
        },
      }),
      operation(method.deleteArtifact, {
        access: operator('fields'),
        handle: async (request, call) => {
          await artifacts.remove(call, request, request.artifactId);
          return create(DeleteArtifactResponseSchema, { success: true });
        },
      }),
    ],
    routes: [contentRoute(deps, artifacts)],
  };
};

const contentRoute = (deps: ArtifactsDeps & { readonly authorizer: Authorizer }, artifacts: Artifacts): HttpRoute => ({
  method: 'GET',
  pattern: '/v1/ns/{ns}/agents/{agent}/sessions/{session_id}/artifacts/{artifact_id}/content',
  authenticated: true,
  handle: async (exchange, params, context) => {
    const { ns = '', agent = '', session_id: sessionId = '', artifact_id: id = '' } = params;
    const place = { ns, agent, sessionId };
    deps.authorizer.authorize(READ_ARTIFACT, place, context.caller);
    const artifact = await artifacts.find(place, id);
    await unlessLost(() => sendObject(deps.blobs, exchange, { ...artifact, signal: context.signal }));
  },
});
