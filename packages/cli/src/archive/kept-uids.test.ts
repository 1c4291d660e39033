import type { ApplyManifestsRequest } from '@svc/api/gateway';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

const FIRST = '01890000-0000-7000-8000-000000000001';
const SECOND = '01890000-0000-7000-8000-000000000002';
const NEW = '01890000-0000-7000-8000-00000000000f';

const skill = (name: string, uid: string, ownerReferences: readonly object[] = []) => ({
  ...{ apiVersion: 'svc/v1', kind: 'Skill', metadata: { name, namespace: 'default', uid, ownerReferences } },
  spec: { kind: { case: 'skill' as const, value: { description: 'd' } } },
});
const reference = (name: string, uid: string) => ({ kind: 'Skill', namespace: 'default', name, uid });
const skills = [skill('kept', SECOND, [reference('owner', FIRST), reference('elsewhere', NEW)]), skill('owner', FIRST)];
const listing: FakeHandlers = { unary: { ListResources: () => ({ resources: skills }) } };
const archive = (...values: readonly object[]): string =>
  [{ archive: 'svc/export', version: 1 }, ...values].map((value) => `${JSON.stringify(value)}\n`).join('');
const manifestOf = (name: string) => ({
  ...{ apiVersion: 'svc/v1', kind: 'Skill', metadata: { name, namespace: 'default' }, spec: { description: 'd' } },
});
const documents = (text: string) =>
  parseAllDocuments(text).map((document) => document.toJSON() as { metadata: object });

it('an archive has the uid of each manifest beside it, and the owners that are in it too', async () => {
  const shell = fakeHost({ handlers: listing });
  expect(await shell.run('export', '--data')).toBe(exitCodes.ok);
  const lines = shell.out().trim().split('\n').slice(1);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { manifest: manifestOf('kept'), uid: SECOND, owners: [{ kind: 'Skill', namespace: 'default', name: 'owner' }] },
    { manifest: manifestOf('owner'), uid: FIRST },
  ]);
});

it('manifests have their uids only when that is asked for', async () => {
  const plain = fakeHost({ handlers: listing });
  expect(await plain.run('export')).toBe(exitCodes.ok);
  expect(plain.out()).not.toContain('uid');
  const asked = fakeHost({ handlers: listing });
  expect(await asked.run('export', '--uids')).toBe(exitCodes.ok);
  expect(documents(asked.out()).map(({ metadata }) => metadata)).toEqual([
    { name: 'kept', namespace: 'default', uid: SECOND },
    { name: 'owner', namespace: 'default', uid: FIRST },
  ]);
});

/** A server that gives every resource a new uid. */
const importing = (isOwnerThere = true) => {
  const applied: ApplyManifestsRequest[] = [];
  const unary: FakeHandlers['unary'] = {
    ApplyManifests: (request: ApplyManifestsRequest) => {
      applied.push(request);
      return { results: documents(request.text).map(() => ({ kind: 'Skill', ns: 'default', name: 'x', outcome: 1 })) };
    },
    GetResource: ({ name }: { readonly name: string }) => {
      if (!isOwnerThere) throw new FakeFault('NOT_FOUND', 'SKILL_NOT_FOUND');
      return { resource: skill(name, NEW) };
    },
  };
  return { applied, handlers: { unary } };
};
const run = async (text: string, handlers: FakeHandlers, name = 'all.jsonl') => {
  const shell = fakeHost({ handlers, files: { [`/work/${name}`]: { text, mode: 0o600 } } });
  return { exit: await shell.run('import', name), err: shell.err() };
};
const kept = { manifest: manifestOf('kept'), uid: SECOND, owners: [{ kind: 'Skill', name: 'owner' }] };

it('an import asks for the uids, and writes owners last under the uids they have on this server', async () => {
  const { applied, handlers } = importing();
  const { exit, err } = await run(archive(kept, { manifest: manifestOf('owner'), uid: FIRST }), handlers);
  expect([exit, err]).toEqual([exitCodes.ok, '2 resources, 0 files, 0 sessions, 0 messages written\n']);
  expect(applied.map(({ keepUids }) => keepUids)).toEqual([true, true]);
  const [first = '', second = ''] = applied.map(({ text }) => text);
  expect(documents(first).map(({ metadata }) => metadata)).toEqual([
    { name: 'kept', namespace: 'default', uid: SECOND },
    { name: 'owner', namespace: 'default', uid: FIRST },
  ]);
  const ownerReferences = [{ kind: 'Skill', name: 'owner', uid: NEW }];
  expect(documents(second)).toEqual([
    { ...manifestOf('kept'), metadata: { name: 'kept', namespace: 'default', ownerReferences } },
  ]);
});

it('an owner that is not there leaves its dependant without one, and is told', async () => {
  const { applied, handlers } = importing(false);
  const { exit, err } = await run(archive(kept), handlers);
  expect(exit).toBe(exitCodes.partial);
  expect(err).toContain('owners of Skill default/kept: ');
  expect(applied).toHaveLength(1);
});

it('an archive of an earlier release has no uids', async () => {
  const { applied, handlers } = importing();
  await run(archive({ manifest: manifestOf('kept') }), handlers);
  expect(documents(applied[0]?.text ?? '')).toEqual([manifestOf('kept')]);
});

it('an import of manifests asks for their uids, which an apply refuses', async () => {
  const { applied, handlers } = importing();
  const text = `kind: Skill\nmetadata: {name: s, uid: "${FIRST}"}\nspec: {description: d, instructions: i}\n`;
  expect((await run(text, handlers, 's.yaml')).exit).toBe(exitCodes.ok);
  expect(applied).toMatchObject([{ keepUids: true, text: expect.stringContaining(FIRST) }]);
  const shell = fakeHost({ handlers, files: { '/work/s.yaml': { text, mode: 0o600 } } });
  expect(await shell.run('apply', '-f', 's.yaml')).toBe(exitCodes.refused);
  expect(shell.err()).toContain('metadata.uid: is written by the system (SERVER_OWNED)');
  expect(applied).toHaveLength(1);
});
