import { create } from '@bufbuild/protobuf';
import { ArtifactAccessSchema } from '@svc/api/data';
import {
  type FileResponse,
  FileService,
  GatewayService,
  type GrantArtifactResponse,
  type ListArtifactsResponse,
  type ReadArtifactResponse,
} from '@svc/api/gateway';
import { FileIndexPolicy, FileRetention } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionRow } from '../../../../store/contracts/index.ts';
import { callContext } from '../../../testing/index.ts';
import { DAY_MS, type FileWorld, openFileWorld, sha256, text, visit } from '../testing/file-world.ts';
import { artifactUri, type StoredArtifact } from './artifact-facts.ts';

const { method } = FileService;
const SESSION = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
const place = { ns: 'default', agent: 'helper', sessionId: SESSION };

const sessionRow = (id: string): SessionRow => ({
  ...{ id, namespace: 'default', agent: 'helper', state: 'IDLE', fence: 0, epoch: 0, admission: 0 },
  ...{ createdAt: 1, lastActive: 1, openTurns: 0, activeTurnId: '', lastMessageId: '', lastSequence: 0 },
  ...{ labels: {}, body: '{}' },
});

describe('artifacts', () => {
  let world: FileWorld;

  beforeEach(async () => {
    world = await openFileWorld();
    await world.store.write(async (tx) => {
      for (const id of [SESSION, OTHER]) await tx.log.insertSession(sessionRow(id));
    });
  });
  afterEach(async () => {
    await world.shut();
  });

  const make = (title: string, content = title): Promise<StoredArtifact> =>
    world.artifacts.create(callContext('CreateArtifact'), place, {
      ...{ title, mediaType: 'text/markdown', filename: `${title}.md`, labels: { a: 'b' } },
      content: text(content),
    });
  const read = (artifactId: string, at: object = place): Promise<ReadArtifactResponse> =>
    world.call(method.readArtifact, { ...place, ...at, artifactId });
  const list = (page: object = {}, at: object = place): Promise<ListArtifactsResponse> =>
    world.call(method.listArtifacts, { ...place, ...at, ...page });
  const grant = (artifactId: string, access: object): Promise<GrantArtifactResponse> =>
    world.call(method.grantArtifact, { ...place, artifactId, access: create(ArtifactAccessSchema, access) });

  it('are listed newest first and read with their bytes, under their own session only', async () => {
    const [one, two, three] = [await make('one'), await make('two'), await make('three')];
    const first = await list({ pageSize: 2 });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.artifacts, ...second.artifacts].map(({ id }) => id)).toEqual([three.id, two.id, one.id]);
    expect(second.nextPageToken).toBe('');
    const answer = await read(one.id);
    expect(answer.artifact).toMatchObject({ title: 'one', createdByAgent: 'helper', labels: { a: 'b' } });
    expect([Buffer.from(answer.content).toString(), answer.artifact?.objectRef?.sizeBytes]).toEqual(['one', 3n]);
    await expect(read(one.id, { sessionId: OTHER })).rejects.toMatchObject({ reason: 'ARTIFACT_NOT_FOUND' });
    await expect(list({}, { agent: 'another' })).rejects.toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    expect((await list({}, { sessionId: OTHER })).artifacts).toEqual([]);
    const route = world.routes.find(({ pattern }) => pattern.includes('artifact'));
    const params = { ns: 'default', agent: 'helper', session_id: SESSION, artifact_id: one.id };
    const sent = await visit(route!, params, { headers: { range: 'bytes=1-' } });
    expect([sent.status, sent.body.toString(), sent.headers['content-type']]).toEqual([206, 'ne', 'text/markdown']);
  });

  it('go with their session, bytes included, unless promoted', async () => {
    const [kept, lost] = [await make('kept'), await make('lost')];
    const spec = { path: '/kept.md', retention: FileRetention.RETAINED, indexPolicy: FileIndexPolicy.RETRIEVAL };
    const request = { ...place, artifactId: kept.id, file: { spec } };
    const promoted = (await world.call(method.promoteArtifact, request)) as FileResponse;
    expect(promoted.file?.spec?.mediaType).toBe('text/markdown');
    expect(await world.search('kept')).toEqual(['/kept.md']);
    await expect(world.call(method.promoteArtifact, request)).rejects.toMatchObject({ reason: 'PATH_TAKEN' });
    await world.store.write((tx) => tx.log.deleteSession(SESSION));
    for (const { id } of [kept, lost]) await expect(read(id)).rejects.toMatchObject({ reason: 'ARTIFACT_NOT_FOUND' });
    world.clock.advance(DAY_MS + 1);
    expect(await world.collector.tick()).toBe(1);
    expect(await world.blobs.list('', 9)).toEqual([sha256(text('kept'))]);
    expect(Buffer.from((await world.readFile('/kept.md')).content).toString()).toBe('kept');
  });

  it('are used by another session only as long and as far as granted', async () => {
    const artifact = await make('shared');
    const uri = artifactUri(artifact);
    const other = { ns: 'default', agent: 'helper', sessionId: OTHER };
    const missing = { reason: 'ARTIFACT_NOT_FOUND' };
    await expect(world.artifacts.open(place, uri, 'promote')).resolves.toEqual(artifact);
    await expect(world.artifacts.open(other, uri, 'read')).rejects.toMatchObject(missing);
    const { access } = await grant(artifact.id, { targetSessionId: OTHER, operations: ['read'] });
    expect(Number(access?.expiresAt) - world.store.now()).toBeLessThanOrEqual(DAY_MS * 1_000);
    expect((await world.artifacts.open(other, uri, 'read')).id).toBe(artifact.id);
    await expect(world.artifacts.open(other, uri, 'promote')).rejects.toMatchObject(missing);
    await expect(world.artifacts.open({ ...other, ns: 'other' }, uri, 'read')).rejects.toMatchObject(missing);
    world.clock.advance(DAY_MS + 1);
    await expect(world.artifacts.open(other, uri, 'read')).rejects.toMatchObject(missing);
    await expect(world.artifacts.open(other, 'file://x', 'read')).rejects.toMatchObject(missing);
  });

  it('are granted until a time of the machine, also when that is set forward or back', async () => {
    const artifact = await make('shared');
    const uri = artifactUri(artifact);
    const other = { ns: 'default', agent: 'helper', sessionId: OTHER };
    world.clock.stepWallClock(-2 * DAY_MS);
    const expiresAt = BigInt(world.clock.nowMicros() + 60_000_000);
    await grant(artifact.id, { targetSessionId: OTHER, operations: ['read'], expiresAt });
    expect((await world.artifacts.open(other, uri, 'read')).id).toBe(artifact.id);
    world.clock.stepWallClock(60_000);
    await expect(world.artifacts.open(other, uri, 'read')).rejects.toMatchObject({ reason: 'ARTIFACT_NOT_FOUND' });
  });

  it('refuse a grant without target, with unknown operations or for more than 30 days', async () => {
    const { id } = await make('one');
    const late = { targetAgent: 'x', operations: ['read'], expiresAt: BigInt(world.store.now() + 31 * DAY_MS * 1_000) };
    const fields = async (access: object) =>
      grant(id, access).catch((error: { violations: { field: string }[] }) =>
        error.violations.map(({ field }) => field),
      );
    expect(await fields({})).toEqual(['access.targetAgent', 'access.operations']);
    expect(await fields({ targetAgent: 'x', operations: ['read', 'write'] })).toEqual(['access.operations']);
    expect(await fields(late)).toEqual(['access.expiresAt']);
    const named = { targetAgent: 'a b', targetSessionId: 'x', grantedByAgent: '/', grantedBySessionId: 'y' };
    expect(await fields({ ...named, operations: ['read'] })).toEqual([
      'access.targetAgent',
      'access.grantedByAgent',
      'access.targetSessionId',
      'access.grantedBySessionId',
    ]);
  });

  it('take a hundred grants at once, and others when those have expired', async () => {
    const { id } = await make('shared');
    const to = (index: number) => grant(id, { targetAgent: `a${index}`, operations: ['read'] });
    for (let index = 0; index < 100; index++) await to(index);
    await expect(to(100)).rejects.toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', reason: 'QUOTA_EXCEEDED' },
      metadata: { artifact_id: id, max: '100' },
    });
    await expect(to(99)).resolves.toBeDefined();
    world.clock.advance(DAY_MS + 1);
    await expect(to(100)).resolves.toBeDefined();
  });

  it('of a deleted namespace can be read, and are neither granted nor made nor deleted', async () => {
    const { id } = await make('kept');
    await world.store.write(async (tx) => {
      const session = { ...sessionRow('01900000-0000-7000-8000-000000000003'), namespace: 'acme' };
      await tx.log.insertSession(session);
    });
    await world.call(GatewayService.method.createNamespace, { name: 'acme' });
    const acme = { ns: 'acme', agent: 'helper', sessionId: '01900000-0000-7000-8000-000000000003' };
    const wanted = { title: 't', mediaType: 'text/plain', filename: 't', labels: {}, content: text('t') };
    const there = await world.artifacts.create(callContext('CreateArtifact'), acme, wanted);
    await world.call(GatewayService.method.deleteNamespace, { name: 'acme' });
    expect(Buffer.from((await read(there.id, acme)).content).toString()).toBe('t');
    const access = create(ArtifactAccessSchema, { targetAgent: 'a', operations: ['read'] });
    for (const refused of [
      () => world.artifacts.create(callContext('CreateArtifact'), acme, wanted),
      () => world.call(method.grantArtifact, { ...acme, artifactId: there.id, access }),
      () => world.call(method.deleteArtifact, { ...acme, artifactId: there.id }),
      () => world.call(method.promoteArtifact, { ...acme, artifactId: there.id, file: { spec: { path: '/t' } } }),
    ])
      await expect(refused()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'NAMESPACE_DELETED' });
    expect((await list({}, acme)).artifacts).toHaveLength(1);
    expect((await read(id)).artifact?.title).toBe('kept');
  });

  it('are deleted one by one', async () => {
    const { id } = await make('one');
    expect(await world.call(method.deleteArtifact, { ...place, artifactId: id })).toMatchObject({ success: true });
    await expect(read(id)).rejects.toMatchObject({ reason: 'ARTIFACT_NOT_FOUND' });
    expect((await list()).artifacts).toEqual([]);
    const audit = await world.store.direct.audit.list({ limit: 10 });
    expect(audit.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['created', 'deleted']));
  });
});
