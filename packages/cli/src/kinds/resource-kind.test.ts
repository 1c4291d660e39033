import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../failure.ts';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

type Request = {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
  readonly parent: string;
  readonly pageToken: string;
};
const seen: Request[] = [];
const resource = (kind: string, name: string, spec: object) => ({
  apiVersion: 'svc/v1',
  kind,
  metadata: { name, namespace: 'default', labels: { a: 'b' }, uid: 'u', resourceVersion: '7', generation: 3n },
  spec: { kind: spec },
});
const handlers: FakeHandlers = {
  unary: {
    ListResources: ({ kind, pageToken }: Request) => ({
      resources: [
        {
          ...resource(kind, `t${pageToken}`, { case: 'task', value: { title: 'x' } }),
          status: { kind: { case: 'task', value: { phase: 2 } } },
        },
      ],
      nextPageToken: pageToken === '' ? '2' : '',
    }),
    GetResource: (request: Request) => {
      seen.push(request);
      if (request.name === 'none') return {};
      return request.kind === 'Workflow'
        ? { resource: resource('Workflow', request.name, { case: 'raw', value: { json: '{"x":1}' } }) }
        : {
            resource: resource(request.kind, request.name, {
              case: 'skill',
              value: { description: 'd', instructions: '' },
            }),
          };
    },
    DeleteResource: (request: Request) => {
      seen.push(request);
      return { pending: request.name === 'held' };
    },
  },
};

describe('kinds without calls of their own', () => {
  it('are listed with their phase, over pages', async () => {
    const shell = fakeHost({ handlers });
    expect(await shell.run('get', 'tasks')).toBe(exitCodes.ok);
    expect(shell.out()).toMatch(/^NAME +PHASE +TITLE +AGE\nt +RUNNING +x +-\nt2 +RUNNING +x/);
  });

  it('are shown as manifests that can be applied again', async () => {
    const shell = fakeHost({ handlers });
    expect(await shell.run('get', 'skill', 's', '-o', 'manifest')).toBe(exitCodes.ok);
    expect(parse(shell.out())).toEqual({
      apiVersion: 'svc/v1',
      kind: 'Skill',
      metadata: { name: 's', namespace: 'default', labels: { a: 'b' } },
      spec: { description: 'd' },
    });
    const raw = fakeHost({ handlers });
    await raw.run('get', 'wf', 'w', '-o', 'json');
    expect(JSON.parse(raw.out())).toMatchObject({ spec: { x: 1 } });
    expect(await fakeHost({ handlers }).run('get', 'skill', 'none')).toBe(exitCodes.refused);
  });

  it('are named with their channel where they live in one', async () => {
    const shell = fakeHost({ handlers });
    await shell.run('delete', 'sub', 'room/s');
    expect(seen.at(-1)).toMatchObject({ kind: 'ChannelSubscription', parent: 'room', name: 's' });
    expect(await shell.run('delete', 'sub', 's')).toBe(exitCodes.refused);
    await shell.run('delete', 'skill', 'held');
    expect(shell.out()).toContain('is being deleted');
  });
});
