import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

const resource = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'svc/v1',
  kind,
  metadata: { name, namespace: kind === 'Namespace' ? '' : 'default', uid: 'u', resourceVersion: '3', ...more },
});
const skill = { ...resource('Skill', 's'), spec: { kind: { case: 'skill', value: { description: 'd' } } } };

it('svc export prints everything that can be written, in the order of application', async () => {
  const asked: string[] = [];
  const handlers: FakeHandlers = {
    unary: {
      // The agent went meanwhile: it is exported as it was listed.
      GetResource: () => {
        throw new FakeFault('NOT_FOUND', 'AGENT_NOT_FOUND');
      },
      ListResources: ({ ns, pageToken }: { readonly ns: string; readonly pageToken: string }) => {
        asked.push(ns);
        return pageToken === ''
          ? {
              resources: [
                resource('Agent', 'a'),
                resource('Session', 'x'),
                resource('Namespace', 'n:m'),
                resource('Namespace', 'n'),
              ],
              nextPageToken: '2',
            }
          : {
              resources: [
                skill,
                resource('Namespace', 'default'),
                resource('Skill', 'owned', { ownerReferences: [{ controller: true }] }),
              ],
            };
      },
    },
  };
  const shell = fakeHost({ handlers });
  expect(await shell.run('export')).toBe(exitCodes.ok);
  const documents = parseAllDocuments(shell.out()).map(
    (document) => document.toJSON() as { kind: string; metadata: { name: string } },
  );
  expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Namespace n',
    'Namespace n:m',
    'Skill s',
    'Agent a',
  ]);
  expect(documents[2]).toEqual({
    apiVersion: 'svc/v1',
    kind: 'Skill',
    metadata: { name: 's', namespace: 'default' },
    spec: { description: 'd' },
  });
  expect(shell.err()).toBe('4 resources\n');
  await shell.run('export', '-A');
  expect(asked).toEqual(['default', 'default', '-', '-']);
});

it('svc export leaves out what an exported deployment renders, and tells', async () => {
  const rendered = (name: string, replica: string, deployment: string) =>
    resource('Skill', name, { labels: { 'svc/deployment': deployment }, annotations: { 'svc/replica': replica } });
  const resources = [
    { ...resource('Deployment', 'd'), spec: { kind: { case: 'deployment', value: {} } } },
    rendered('out', 'default/d--n-1', 'd'),
    // Those deployments are not in the export: nobody else would bring these.
    rendered('above', 'top/d--n-1', 'd'),
    rendered('other', 'default/e--n-1', 'e'),
  ];
  const shell = fakeHost({ handlers: { unary: { ListResources: () => ({ resources }) } } });
  expect(await shell.run('export')).toBe(exitCodes.ok);
  expect(shell.out().match(/name: .*/g)).toEqual(['name: above', 'name: other', 'name: d']);
  expect(shell.err()).toBe(
    '1 resource is left out: its deployment renders it again; --data includes what people added\n3 resources\n',
  );
});

it('svc export tells of files whose bytes only an archive has', async () => {
  const file = { ...resource('File', 'f'), spec: { kind: { case: 'file', value: { path: '/a.md' } } } };
  const shell = fakeHost({ handlers: { unary: { ListResources: () => ({ resources: [file] }) } } });
  expect(await shell.run('export')).toBe(exitCodes.ok);
  expect(shell.err()).toBe('1 file is without its bytes: --data has them\n1 resource\n');
});
