import type { ArtifactAccess } from '@svc/api/data';
import {
  type Clock,
  decodePageToken,
  encodePageToken,
  Fault,
  type FieldViolation,
  invalidFields,
  isUuid,
  notFound,
  pageSize,
} from '../../../../base/index.ts';
import type { AppendAudit, NamespaceFacts, WriteOrigin } from '../../../../controllers/contract.ts';
import { isName } from '../../../../resources/index.ts';
import { artifactHolder, type ReadTx, type StoredResource, type WriteTx } from '../../../../store/contracts/index.ts';
import type { FileWrites } from '../file-writes.ts';
import type { FilesDeps } from '../files-deps.ts';
import { tooLarge } from '../upload-faults.ts';
import {
  ARTIFACT_OPERATIONS,
  type ArtifactGrant,
  type ArtifactOperation,
  type ArtifactPlace,
  artifactNotFound,
  artifactOf,
  artifactRow,
  artifactUri,
  readArtifactUri,
  type StoredArtifact,
} from './artifact-facts.ts';

const DAY_MICROS = 86_400 * 1_000_000;
const GRANT_DAYS_MAX = 30;
/** Grants of one artifact that have not expired: they share one row. */
const GRANTS_MAX = 100;

export interface ArtifactsDeps extends FilesDeps {
  /** The clock that grants expire by. */
  readonly clock: Pick<Clock, 'nowMicros'>;
  readonly audit: AppendAudit;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
}

/** Runs the effect in its transaction, or answers what an earlier run of the same call made. */
export type ArtifactEffect = <A extends StoredArtifact | ArtifactGrant>(
  tx: WriteTx,
  effect: () => Promise<A>,
) => Promise<A>;

const always: ArtifactEffect = (_tx, effect) => effect();

/** What of an artifact changes; an absent part stays. */
interface ArtifactChange {
  readonly title?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly content?: Uint8Array | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** What an agent makes in its session. */
interface NewArtifact {
  readonly title: string;
  readonly mediaType: string;
  readonly filename: string;
  readonly content: Uint8Array;
  readonly labels: Readonly<Record<string, string>>;
}

/** Artifacts of sessions: made by agents, gone with their session unless promoted. */
export class Artifacts {
  readonly #deps: ArtifactsDeps;
  readonly #writes: FileWrites;

  constructor(deps: ArtifactsDeps, writes: FileWrites) {
    this.#deps = deps;
    this.#writes = writes;
  }

  /** Throws TOO_LARGE, SESSION_NOT_FOUND, NAMESPACE_DELETED. */
  async create(
    origin: WriteOrigin,
    place: ArtifactPlace,
    wanted: NewArtifact & { readonly once?: ArtifactEffect },
  ): Promise<StoredArtifact> {
    const { store, ids } = this.#deps;
    const { title, mediaType, filename, labels, content, once = always } = wanted;
    const { sha256, sizeBytes } = await this.#stored(place.ns, content, { mediaType, filename });
    const id = ids.next();
    const insert = async (tx: WriteTx): Promise<StoredArtifact> => {
      await requireSession(tx, place);
      await this.#deps.namespaces.requireLive(tx, place.ns);
      const artifact: StoredArtifact = {
        id,
        sessionId: place.sessionId,
        namespace: place.ns,
        agent: place.agent,
        title,
        mediaType,
        filename,
        sha256,
        sizeBytes,
        labels,
        metadata: {},
        grants: [],
        createdAt: tx.now(),
      };
      await tx.artifacts.put(artifactRow(artifact));
      const holder = artifactHolder(id);
      await tx.objects.addReference({ namespace: place.ns, sha256, sizeBytes, mediaType, holder, at: tx.now() });
      await this.#audit(tx, origin, { artifact, outcome: 'created' });
      return artifact;
    };
    return store.write((tx) => once(tx, () => insert(tx)));
  }

  /** Changes an artifact of the session. Throws ARTIFACT_NOT_FOUND, TOO_LARGE, NAMESPACE_DELETED. */
  async update(
    origin: WriteOrigin,
    names: { readonly place: ArtifactPlace; readonly id: string },
    change: ArtifactChange & { readonly once: ArtifactEffect },
  ): Promise<StoredArtifact> {
    const { store, namespaces } = this.#deps;
    const { place, id } = names;
    const before = await this.find(place, id);
    const { title = before.title, mediaType = before.mediaType, labels = before.labels, content, once } = change;
    const bytes =
      content === undefined ? before : await this.#stored(place.ns, content, { mediaType, filename: before.filename });
    const replace = async (tx: WriteTx): Promise<StoredArtifact> => {
      const current = await findIn(tx, place, id);
      await namespaces.requireLive(tx, place.ns);
      const { sha256, sizeBytes } = content === undefined ? current : bytes;
      const artifact = { ...current, title, mediaType, labels, sha256, sizeBytes };
      await tx.artifacts.put(artifactRow(artifact));
      const holder = artifactHolder(id);
      await tx.objects.dropReferences(holder, tx.steadyNow());
      await tx.objects.addReference({ namespace: place.ns, sha256, sizeBytes, mediaType, holder, at: tx.now() });
      await this.#audit(tx, origin, { artifact, outcome: 'updated' });
      return artifact;
    };
    return store.write((tx) => once(tx, () => replace(tx)));
  }

  /** Newest first. Throws SESSION_NOT_FOUND, PAGE_TOKEN_INVALID. */
  async list(place: ArtifactPlace, page: { readonly pageSize: number; readonly pageToken: string }) {
    const asked = [place.ns, place.agent, place.sessionId];
    const size = pageSize(page.pageSize);
    const [before] = decodePageToken(page.pageToken, asked) ?? [];
    return this.#deps.store.read(async (tx) => {
      await requireSession(tx, place);
      const after = before === undefined ? undefined : { id: before };
      const of = { sessionId: place.sessionId };
      const rows = await tx.artifacts.page('ofSession', of, { after, limit: size + 1 });
      const shown = rows.slice(0, size);
      const nextPageToken = rows.length > size ? encodePageToken(asked, [shown.at(-1)?.id ?? '']) : '';
      return { artifacts: shown.map(artifactOf), nextPageToken };
    });
  }

  /** Throws ARTIFACT_NOT_FOUND. */
  async find(place: ArtifactPlace, id: string): Promise<StoredArtifact> {
    return findIn(this.#deps.store.direct, place, id);
  }

  /** An artifact that a session of an agent uses by its URI: its own, or one granted to it. Throws ARTIFACT_NOT_FOUND. */
  async open(user: ArtifactPlace, uri: string, operation: ArtifactOperation): Promise<StoredArtifact> {
    const named = readArtifactUri(uri);
    if (named === undefined) throw notFound('Artifact', { uri });
    const artifact = await this.find(named, named.id);
    const isOwn = artifact.sessionId === user.sessionId && artifact.namespace === user.ns;
    const now = this.#deps.clock.nowMicros();
    const isGranted = named.ns === user.ns && artifact.grants.some((grant) => isFor(grant, user, { operation, now }));
    if (!isOwn && !isGranted) throw artifactNotFound(named, named.id);
    return artifact;
  }

  /** Copies the artifact into a file, which outlives the session. Throws PATH_TAKEN and as CreateFile. */
  async promote(
    origin: WriteOrigin,
    artifact: StoredArtifact,
    wanted: Pick<Parameters<FileWrites['createFrom']>[1], 'file' | 'session' | 'once'>,
  ): Promise<StoredResource> {
    const { namespace, sha256, sizeBytes, filename, mediaType } = artifact;
    const content = { sha256, sizeBytes, filename, mediaType };
    return this.#writes.createFrom(origin, { namespace, content, ...wanted });
  }

  /**
   * Lets another agent or session use the artifact, for a day unless said otherwise. Throws FIELD_INVALID, QUOTA_EXCEEDED,
   * NAMESPACE_DELETED.
   */
  async grant(
    origin: WriteOrigin,
    names: { readonly place: ArtifactPlace; readonly id: string; readonly once?: ArtifactEffect },
    wanted: ArtifactAccess | undefined,
  ): Promise<ArtifactGrant> {
    const { once = always } = names;
    const grantIn = async (tx: WriteTx): Promise<ArtifactGrant> => {
      const artifact = await findIn(tx, names.place, names.id);
      await this.#deps.namespaces.requireLive(tx, artifact.namespace);
      const now = this.#deps.clock.nowMicros();
      const grant = newGrant(wanted, now);
      const kept = artifact.grants.filter((each) => each.expiresAt > now && !isSameTarget(each, grant));
      if (kept.length >= GRANTS_MAX)
        throw new Fault(
          'RESOURCE_EXHAUSTED',
          'QUOTA_EXCEEDED',
          `the artifact has ${GRANTS_MAX} grants already: one must expire first`,
          { metadata: { artifact_id: names.id, max: String(GRANTS_MAX) } },
        );
      await tx.artifacts.put(artifactRow({ ...artifact, grants: [...kept, grant] }));
      await this.#audit(tx, origin, { artifact, outcome: 'granted' });
      return grant;
    };
    return this.#deps.store.write((tx) => once(tx, () => grantIn(tx)));
  }

  /** Throws ARTIFACT_NOT_FOUND, NAMESPACE_DELETED. */
  async remove(origin: WriteOrigin, place: ArtifactPlace, id: string): Promise<void> {
    await this.#deps.store.write(async (tx) => {
      const artifact = await findIn(tx, place, id);
      await this.#deps.namespaces.requireLive(tx, artifact.namespace);
      await tx.artifacts.remove({ id });
      await tx.objects.dropReferences(artifactHolder(id), tx.steadyNow());
      await this.#audit(tx, origin, { artifact, outcome: 'deleted' });
    });
  }

  async #stored(
    namespace: string,
    content: Uint8Array,
    facts: { readonly mediaType: string; readonly filename: string },
  ) {
    const { objects, limits } = this.#deps;
    if (content.length > limits.inlineBytes) throw tooLarge('the content', limits.inlineBytes);
    return objects.store(namespace, content, facts);
  }

  async #audit(
    tx: WriteTx,
    origin: WriteOrigin,
    done: { readonly artifact: StoredArtifact; readonly outcome: string },
  ): Promise<void> {
    const { artifact, outcome } = done;
    const target = artifactUri(artifact).replace('artifact://', 'Artifact/');
    await this.#deps.audit(tx, origin, { target, namespace: artifact.namespace, resourceVersion: '', outcome });
  }
}

const requireSession = async (tx: Pick<ReadTx, 'log'>, place: ArtifactPlace): Promise<void> => {
  const { ns, agent, sessionId } = place;
  const row = isUuid(sessionId) ? await tx.log.session(sessionId) : undefined;
  if (row?.namespace !== ns || row.agent !== agent) throw notFound('Session', { ns, agent, session_id: sessionId });
};

const findIn = async (tx: Pick<ReadTx, 'artifacts'>, place: ArtifactPlace, id: string): Promise<StoredArtifact> => {
  const row = await tx.artifacts.get({ id });
  const artifact = row === undefined ? undefined : artifactOf(row);
  const isHere =
    artifact?.namespace === place.ns && artifact.agent === place.agent && artifact.sessionId === place.sessionId;
  if (artifact === undefined || !isHere) throw artifactNotFound(place, id);
  return artifact;
};

const isFor = (
  grant: ArtifactGrant,
  user: ArtifactPlace,
  asked: { readonly operation: ArtifactOperation; readonly now: number },
): boolean =>
  grant.expiresAt > asked.now &&
  grant.operations.includes(asked.operation) &&
  (grant.targetAgent === '' || grant.targetAgent === user.agent) &&
  (grant.targetSessionId === '' || grant.targetSessionId === user.sessionId);

const isSameTarget = (left: ArtifactGrant, right: ArtifactGrant): boolean =>
  left.targetAgent === right.targetAgent && left.targetSessionId === right.targetSessionId;

const isOperation = (name: string): name is ArtifactOperation =>
  (ARTIFACT_OPERATIONS as readonly string[]).includes(name);

const newGrant = (wanted: ArtifactAccess | undefined, now: number): ArtifactGrant => {
  const { targetAgent = '', targetSessionId = '', operations: named = [] } = wanted ?? {};
  const { grantedByAgent = '', grantedBySessionId = '' } = wanted ?? {};
  const asked = Number(wanted?.expiresAt ?? 0n);
  const expiresAt = asked === 0 ? now + DAY_MICROS : asked;
  const operations = [...new Set(named)].filter(isOperation);
  const faults: FieldViolation[] = [];
  const refuse = (field: string, description: string): void =>
    void faults.push({ field: `access.${field}`, description, reason: 'FIELD_INVALID' });
  if (targetAgent === '' && targetSessionId === '') refuse('targetAgent', 'an agent or a session is required');
  for (const [field, name] of Object.entries({ targetAgent, grantedByAgent }))
    if (name !== '' && !isName('agent', name)) refuse(field, 'is not the name of an agent');
  for (const [field, id] of Object.entries({ targetSessionId, grantedBySessionId }))
    if (id !== '' && !isUuid(id)) refuse(field, 'is not the id of a session');
  if (operations.length === 0 || operations.length < new Set(named).size)
    refuse('operations', `must be some of ${ARTIFACT_OPERATIONS.join(', ')}`);
  if (expiresAt <= now || expiresAt > now + GRANT_DAYS_MAX * DAY_MICROS)
    refuse('expiresAt', `must lie in the next ${GRANT_DAYS_MAX} days`);
  if (faults.length > 0) throw invalidFields(faults);
  return { targetAgent, targetSessionId, operations, expiresAt, createdAt: now, grantedByAgent, grantedBySessionId };
};
