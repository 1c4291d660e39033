import { create } from '@bufbuild/protobuf';
import { type ApplyManifestsResponse, ApplyOutcome, ResourceService } from '@svc/api/gateway';
import { ResourceManifestSchema } from '@svc/api/resources';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../../../auth/contract.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import { ADMIN, type AuthoringWorld, openAuthoringWorld } from '../../../testing/index.ts';

const { applyManifests } = ResourceService.method;
const FIRST = '01890000-0000-7000-8000-000000000001';
const SECOND = '01890000-0000-7000-8000-000000000002';
const THIRD = '01890000-0000-7000-8000-000000000003';
const FOURTH = '01890000-0000-7000-8000-000000000004';
const TEAM_ADMIN: Caller = { ...ADMIN, grants: [{ role: 'admin', readSecrets: true, namespace: 'default' }] };

let world: AuthoringWorld;
beforeEach(async () => {
  world = await openAuthoringWorld();
});
afterEach(() => world.close());

const apply = (text: string, more: object = {}, caller = ADMIN): Promise<ApplyManifestsResponse> =>
  world.call(applyManifests, { ns: 'default', text, keepUids: true, ...more } as never, caller);
const stored = (kind: string, name: string, ns = 'default'): Promise<StoredResource | undefined> =>
  world.store.direct.resources.get(recordKey(kind, ns, name));
const uidOf = async (name: string): Promise<string> => (await stored('Skill', name))?.uid ?? '';
const outcomes = ({ results }: ApplyManifestsResponse): string[] => results.map(({ outcome }) => ApplyOutcome[outcome]);
const skill = (name: string, uid: string, metadata = ''): string =>
  `kind: Skill\nmetadata: {name: ${name}, uid: "${uid}"${metadata}}\nspec: {description: d}\n`;

it('new resources of every kind keep the uid of their document, and a second time nothing changes', async () => {
  const text = [
    `kind: Namespace\nmetadata: {name: team, uid: "${FIRST}"}\n`,
    `kind: Skill\nmetadata: {name: s, namespace: team, uid: "${SECOND}"}\nspec: {description: d}\n`,
  ].join('---\n');
  expect(outcomes(await apply(text))).toEqual(['CREATED', 'CREATED']);
  expect([(await stored('Namespace', 'team', ''))?.uid, (await stored('Skill', 's', 'team'))?.uid]).toEqual([
    FIRST,
    SECOND,
  ]);
  const { newest } = await world.store.direct.resources.versionRange();
  expect(outcomes(await apply(text))).toEqual(['UNCHANGED', 'UNCHANGED']);
  expect((await world.store.direct.resources.versionRange()).newest).toBe(newest);
});

it('a living resource stays what it is, and a taken uid gives way to a new one', async () => {
  await apply(skill('one', FIRST));
  const text = [skill('two', FIRST), skill('one', SECOND)].join('---\n');
  expect(outcomes(await apply(text))).toEqual(['CREATED', 'UNCHANGED']);
  expect(await uidOf('one')).toBe(FIRST);
  expect(await uidOf('two')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await uidOf('two')).not.toBe(FIRST);
  // SECOND was asked for in vain: it is still free.
  await apply([skill('three', SECOND), skill('four', SECOND)].join('---\n'), { atomic: false });
  expect(await uidOf('three')).toBe(SECOND);
  expect(await uidOf('four')).not.toBe(SECOND);
});

it('the uid of what was deleted a while ago is not given again', async () => {
  await apply(skill('one', FIRST));
  await world.call(ResourceService.method.deleteResource, { ns: 'default', kind: 'Skill', name: 'one' });
  expect(await stored('Skill', 'one')).toBeUndefined();
  expect(outcomes(await apply(skill('one', FIRST)))).toEqual(['CREATED']);
  expect(await uidOf('one')).not.toBe(FIRST);
});

it('owners that are known by their uid keep their dependants, and those of nobody go', async () => {
  const owner = (uid: string): string => `, ownerReferences: [{kind: Skill, name: owner, uid: "${uid}"}]`;
  await apply(skill('owner', FIRST));
  await apply(`${skill('kept', SECOND, owner(FIRST))}---\n${skill('lost', THIRD, owner(FOURTH))}`);
  await world.runner.tick();
  expect([await uidOf('owner'), await uidOf('kept'), await uidOf('lost')]).toEqual([FIRST, SECOND, '']);
});

it.each([{}, { dryRun: true }])('a uid that is none is refused with its place: %o', async (more) => {
  const { results } = await apply(skill('one', 'U'), { atomic: false, ...more });
  const metadata = { name: 'two', uid: '01890000-0000-7000-8000-00000000000A' };
  const spec = { kind: { case: 'skill' as const, value: { description: 'd' } } };
  const manifests = [create(ResourceManifestSchema, { apiVersion: 'svc/v1', kind: 'Skill', metadata, spec })];
  const message = await apply('', { manifests, atomic: false, ...more });
  const fault = { field: 'metadata.uid', reason: 'FIELD_INVALID', description: expect.stringContaining('UUIDv7') };
  expect([...results, ...message.results]).toMatchObject([
    { outcome: ApplyOutcome.FAILED, fieldErrors: [{ ...fault, line: 2 }] },
    { outcome: ApplyOutcome.FAILED, fieldErrors: [fault] },
  ]);
});

it('messages keep their uid too, and ignore it without the flag; a text without the flag may not have one', async () => {
  const manifest = (name: string, uid: string) =>
    create(ResourceManifestSchema, {
      ...{ apiVersion: 'svc/v1', kind: 'Skill', metadata: { name, uid } },
      spec: { kind: { case: 'skill', value: { description: 'd' } } },
    });
  await apply('', { manifests: [manifest('one', FIRST)] });
  await apply('', { manifests: [manifest('two', SECOND)], keepUids: false });
  expect(await uidOf('one')).toBe(FIRST);
  expect(await uidOf('two')).not.toBe(SECOND);
  const { results } = await apply(skill('three', SECOND), { keepUids: false, atomic: false });
  expect(results).toMatchObject([{ fieldErrors: [{ field: 'metadata.uid', reason: 'SERVER_OWNED' }] }]);
});

it('whether a uid is taken elsewhere stays unknown to admins of a namespace: theirs are always new', async () => {
  await world.call(applyManifests, { text: 'kind: Namespace\nmetadata: {name: other}\n' } as never);
  await apply(`kind: Skill\nmetadata: {name: s, namespace: other, uid: "${FIRST}"}\nspec: {description: d}\n`);
  expect(outcomes(await apply(skill('one', FIRST), {}, TEAM_ADMIN))).toEqual(['CREATED']);
  expect(outcomes(await apply(skill('two', SECOND), {}, TEAM_ADMIN))).toEqual(['CREATED']);
  expect([FIRST, SECOND]).not.toContain(await uidOf('one'));
  expect([FIRST, SECOND]).not.toContain(await uidOf('two'));
});
