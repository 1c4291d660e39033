import type { ModifyAgentRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, ScriptedTerminal } from '../testing/fake-host.ts';

const written: ModifyAgentRequest[] = [];
let annotations: Record<string, string>;
let template: object;
beforeEach(() => {
  written.length = 0;
  annotations = { 'svc/template': 'base', 'svc/template-version': '1', 'svc/template-uid': 'u1' };
  template = { systemPrompt: 'New.', postHistoryPrompt: 'Tail.' };
});

const run = async (words: readonly string[], options: FakeOptions = {}) => {
  const shell = fakeHost({
    handlers: {
      unary: {
        GetAgent: () => ({
          agent: {
            metadata: { name: 'helper', resourceVersion: '5', annotations },
            spec: { systemPrompt: 'Old.', mcpServerRefs: ['own'] },
          },
        }),
        GetAgentTemplate: ({ name }: { name: string }) => {
          if (name === 'none') throw new FakeFault('NOT_FOUND', 'TEMPLATE_NOT_FOUND');
          if (name === 'empty') return {};
          const specJson = name === 'blank' ? '' : JSON.stringify(template);
          return { template: { metadata: { generation: 3n, uid: 'u1' }, spec: { kind: 'Agent', specJson } } };
        },
        ModifyAgent: (request: ModifyAgentRequest) => {
          written.push(request);
          return {};
        },
      },
    },
    ...options,
  });
  return { exit: await shell.run('agent', 'rebase', 'helper', ...words), out: shell.out(), err: shell.err() };
};

describe('svc agent rebase', () => {
  it('shows the difference, asks, and lays the template over the agent', async () => {
    const { exit, out } = await run([], { terminal: new ScriptedTerminal(['y']) });
    expect(exit).toBe(exitCodes.ok);
    expect(out).toContain('-systemPrompt: Old.\n');
    expect(out).toContain('+systemPrompt: New.\n');
    expect(out).toContain('agent/helper rebased on base (version 3)\n');
    expect(written).toMatchObject([
      {
        ...{ agent: 'helper', template: 'base', resourceVersion: '5' },
        spec: { systemPrompt: 'New.', postHistoryPrompt: 'Tail.', mcpServerRefs: ['own'] },
      },
    ]);
  });

  it('writes nothing without a yes or with --dry-run', async () => {
    expect((await run([], { terminal: new ScriptedTerminal(['n']) })).err).toContain('nothing was written');
    expect(await run(['--dry-run'])).toMatchObject({ exit: exitCodes.ok });
    expect(written).toEqual([]);
  });

  it('leaves fields as they are that are kept', async () => {
    await run(['--yes', '--keep', 'systemPrompt']);
    expect(written[0]?.spec?.systemPrompt).toBe('Old.');
    expect((await run(['--keep', 'prompt'])).err).toContain('--keep prompt is not a field of an agent');
  });

  it('records the version also where nothing else changes, and is done when that is so', async () => {
    template = {};
    const { err } = await run(['--yes']);
    expect([err, written.length]).toEqual(['nothing changes but the recorded version of the template\n', 1]);
    annotations = {
      'svc/template': 'base',
      'svc/template-version': '3',
      'svc/template-uid': 'of one that was deleted',
    };
    expect((await run(['--yes'])).err).toBe('nothing changes but the recorded version of the template\n');
    annotations['svc/template-uid'] = 'u1';
    expect((await run(['--yes'])).err).toBe('agent helper is on the newest version of base already\n');
    expect(written).toHaveLength(2);
  });

  it('says which template is missing', async () => {
    annotations = {};
    expect((await run([])).err).toContain('was not made from a template');
    expect(await run(['--template', 'none'])).toMatchObject({ exit: exitCodes.notFound });
    expect(await run(['--template', 'empty'])).toMatchObject({ exit: exitCodes.notFound });
    expect(await run(['--template', 'blank', '--yes'])).toMatchObject({ exit: exitCodes.ok });
  });
});
