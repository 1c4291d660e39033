import type { ApplyResourceRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';
import { isEqualJson, mergeDifference, patchedPaths } from './merge-difference.ts';

const written: ApplyResourceRequest[] = [];
beforeEach(() => {
  written.length = 0;
});

const specs: Record<string, readonly [string, object]> = {
  Template: ['template', { kind: 'Skill', specJson: '{"description":"d"}' }],
  Workflow: [
    'workflow',
    {
      steps: [
        { id: 'a', inputJson: '{"x":1}' },
        { id: 'b', whenJson: 'no JSON' },
      ],
    },
  ],
  Widget: ['raw', { json: '{"size":3}' }],
  Secret: ['secret', { data: { k: 'aHVzaA==' } }],
  Session: ['session', { agent: 'helper' }],
  Channel: ['channel', { title: 'a' }],
};

const resource = (kind: string, name: string, isMasked = false) => {
  const [member = '', value = {}] = isMasked ? ['secret', { data: { k: '' } }] : (specs[kind] ?? []);
  const apiVersion = kind === 'Widget' ? 'example.org/v1' : 'svc/v1';
  const metadata = { name, namespace: 'default', resourceVersion: '3', labels: {} };
  return { apiVersion, kind, metadata, spec: { kind: { case: member, value } } };
};

const shellWith = (editor?: (text: string) => string) => {
  const shown: string[] = [];
  const shell = fakeHost({
    environment: { EDITOR: 'ed' },
    editor: (text) => {
      shown.push(text);
      return editor?.(text) ?? text;
    },
    handlers: {
      unary: {
        GetResource: ({ kind, name }: { kind: string; name: string }) => {
          if (name === 'none') throw new FakeFault('NOT_FOUND', 'SECRET_NOT_FOUND');
          return name === 'odd' ? {} : { resource: resource(kind, name) };
        },
        ListResources: () => ({ resources: [resource('Secret', 's', true)] }),
        ApplyResource: (request: ApplyResourceRequest) => {
          written.push(request);
          return request.dryRun
            ? { fieldErrors: [{ field: 'spec.title', description: 'is bad', reason: 'BAD' }] }
            : { outcome: 2 };
        },
      },
    },
  });
  return { ...shell, shown };
};

describe('svc edit', () => {
  it('shows texts of JSON as what they mean, and writes them back as texts', async () => {
    const shell = shellWith((text) => text.replace('description: d', 'description: e'));
    expect(await shell.run('edit', 'template', 't')).toBe(exitCodes.ok);
    expect(shell.shown[0]).toContain('spec:\n  kind: Skill\n  spec:\n    description: d\n');
    expect(written[0]?.manifest?.spec?.kind).toMatchObject({ value: { specJson: '{"description":"e"}' } });
    const workflow = shellWith();
    await workflow.run('edit', 'workflow', 'w');
    expect(workflow.shown[0]).toContain('      input:\n        x: 1\n');
    expect(workflow.shown[0]).toContain('      whenJson: no JSON\n');
    expect(workflow.err()).toContain('nothing was changed');
  });

  it('knows kinds of other groups', async () => {
    const shell = shellWith((text) => text.replace('size: 3', 'size: 4'));
    expect(await shell.run('edit', 'Widget', 'w')).toBe(exitCodes.ok);
    expect(written[0]?.manifest).toMatchObject({ apiVersion: 'example.org/v1', spec: { kind: { case: 'raw' } } });
    expect(written[0]?.manifest?.spec?.kind.value).toMatchObject({ json: '{"size":4}' });
    expect(await shellWith().run('edit', 'Widget', 'odd')).toBe(exitCodes.refused);
  });

  it('shows values of secrets only to those who may read them, as a read does', async () => {
    const shell = shellWith();
    await shell.run('edit', 'secret', 's');
    expect([shell.shown[0]?.includes('aHVzaA=='), shell.calls]).toEqual([true, ['GetResource']]);
  });
});

describe('svc patch', () => {
  it('takes the stored form too, where the patch speaks of it', async () => {
    const shell = shellWith();
    const patch = JSON.stringify({ spec: { specJson: '{"description":"x"}' } });
    expect(await shell.run('patch', 'template', 't', '-p', patch)).toBe(exitCodes.ok);
    expect(written[0]?.manifest?.spec?.kind).toMatchObject({ value: { specJson: '{"description":"x"}' } });
  });

  it('tells what a rehearsal found', async () => {
    const shell = shellWith();
    expect(await shell.run('patch', 'channel', 'c', '-p', '{spec: {title: b}}', '--dry-run')).toBe(exitCodes.refused);
    expect(shell.err()).toContain('spec.title: is bad (BAD)');
  });
});

describe('svc label', () => {
  it('reads no value of a secret, and writes none', async () => {
    const shell = shellWith();
    expect(await shell.run('label', 'secret', 's', 'a=b')).toBe(exitCodes.ok);
    expect(shell.calls).toEqual(['ListResources', 'ApplyResource']);
    expect(written[0]?.manifest).toMatchObject({
      metadata: { labels: { a: 'b' }, resourceVersion: '3' },
      spec: { kind: { value: { data: { k: '' } } } },
    });
    expect(await shellWith().run('label', 'secret', 'none', 'a=b')).toBe(exitCodes.notFound);
  });

  it('finds sessions with their agent', async () => {
    expect(await shellWith().run('label', 'session', 's1', 'a=b')).toBe(exitCodes.ok);
    expect(written).toMatchObject([{ kind: 'Session', parent: 'helper', name: 's1', ns: 'default' }]);
  });
});

describe('differences', () => {
  it.each([
    [{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } }, { b: { c: 3 } }, ['b.c']],
    [{ a: 1, b: 2 }, { b: 2 }, { a: null }, ['a']],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, {}, []],
    [{ a: [1] }, { a: [1, 2] }, { a: [1, 2] }, ['a']],
    [{}, { a: {} }, { a: {} }, ['a']],
    [{ a: { b: 1 } }, { a: 'text' }, { a: 'text' }, ['a']],
  ])('between %j and %j are %j', (...[before, after, patch, paths]) => {
    expect(mergeDifference(before as never, after as never)).toEqual(patch);
    expect(patchedPaths(patch as never)).toEqual(paths);
  });

  it('do not come from the order of members', () => {
    expect(isEqualJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
    expect(isEqualJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(isEqualJson([1], { 0: 1 })).toBe(false);
  });
});
