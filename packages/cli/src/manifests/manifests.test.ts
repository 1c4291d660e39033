import { createHash } from 'node:crypto';
import { type ApplyManifestsRequest, ApplyOutcome } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, ScriptedTerminal } from '../testing/fake-host.ts';

const agent = (name: string, prompt = 'p'): string =>
  `kind: Agent\nmetadata: {name: ${name}}\nspec: {systemPrompt: "${prompt}"}\n`;
const file = (text: string) => ({ text, mode: 0o600 });
const folder = { text: '', mode: 0o700, isDirectory: true };

/** A server that answers every document with the next outcome. */
const answering = (outcomes: readonly ApplyOutcome[], requests: ApplyManifestsRequest[] = []): FakeHandlers => ({
  unary: {
    ApplyManifests: (request: ApplyManifestsRequest) => {
      requests.push(request);
      const results = outcomes.map((outcome, index) => ({
        kind: 'Agent',
        ns: 'default',
        name: `a${index}`,
        outcome,
        fieldErrors:
          outcome === ApplyOutcome.FAILED ? [{ field: 'spec.systemPrompt', description: 'is bad', reason: 'BAD' }] : [],
      }));
      return { results };
    },
  },
});

const host = (options: FakeOptions) => fakeHost({ piped: '', ...options });

describe('svc apply', () => {
  it('reads files, directories without hidden entries, and standard input, in order of names', async () => {
    const requests: ApplyManifestsRequest[] = [];
    const files = {
      '/work/all': folder,
      '/work/all/b.yaml': file(agent('b')),
      '/work/all/a.json': file(JSON.stringify({ kind: 'Agent', metadata: { name: 'a' }, spec: { systemPrompt: 'x' } })),
      '/work/all/.hidden.yaml': file('nonsense'),
      '/work/all/notes.md': file('nonsense'),
      '/work/all/sub': folder,
      '/work/all/sub/c.yml': file(agent('c')),
      '/work/one.yaml': file(agent('one')),
    };
    const outcomes = [1, 2, 3, 4, 1].map((outcome) => outcome as ApplyOutcome);
    const shell = host({ files, piped: agent('piped'), handlers: answering(outcomes, requests) });
    expect(await shell.run('apply', '-f', 'all', '-f', 'one.yaml', '-f', '-')).toBe(exitCodes.ok);
    const names = [...(requests[0]?.text ?? '').matchAll(/"name":"(\w+)"/g)].map((match) => match[1]);
    expect(names).toEqual(['a', 'b', 'c', 'one', 'piped']);
    expect(shell.out()).toBe(
      [
        'created     Agent  default/a0',
        'configured  Agent  default/a1',
        'unchanged   Agent  default/a2',
        'repaired    Agent  default/a3',
        'created     Agent  default/a4',
        '2 created, 1 configured, 1 unchanged, 1 repaired\n',
      ].join('\n'),
    );
    expect(requests[0]).toMatchObject({ ns: 'default', atomic: true, createNamespaces: true, dryRun: false });
  });

  it('names every finding of every file by file, line and column, and calls nobody', async () => {
    const files = {
      '/work/x.yaml': file('kind: Agent\nmetadata: {name: a}\nspec: {sistemPrompt: x}\n'),
      '/work/y.yaml': file('kind: Agnt\n'),
    };
    const shell = host({ files });
    expect(await shell.run('apply', '-f', 'x.yaml', '-f', 'y.yaml')).toBe(exitCodes.refused);
    expect(shell.err()).toContain(
      'x.yaml:3:8: Agent/default/a: spec.sistemPrompt: unknown field, did you mean systemPrompt (FIELD_UNKNOWN)',
    );
    expect(shell.err()).toContain(
      'y.yaml:1:7: Agnt/default: kind: unknown kind "Agnt", did you mean Agent (UNKNOWN_KIND)',
    );
    expect(shell.calls).toEqual([]);
  });

  it.each([
    [['apply'], 'which manifests?'],
    [['apply', '-f', 'none.yaml'], 'there is no none.yaml'],
    [['apply', '-f', 'a.yaml', '--var', 'x'], 'is not name=value'],
    [['apply', '-f', 'a.yaml', '--vars-file', 'none'], 'there is no file none (--vars-file)'],
    [['apply', '-f', 'a.yaml', '--var', 'x=['], '--var x=[ is not YAML: Flow sequence'],
    [['apply', '-f', 'a.yaml', '--vars-file', 'broken.yaml'], 'broken.yaml is not YAML: Flow sequence'],
    [['apply', '-f', 'a.yaml', '--vars-file', 'list.yaml'], 'holds no map'],
    [['apply', '-f', 'a.yaml', '-o', 'yaml'], 'no output form yaml'],
    [['apply', '-f', 'a.yaml', '--dry-run=maybe'], '--dry-run=maybe is not known'],
    [['apply', '-f', 'a.yaml', '-f', 'b.yaml'], 'is in a.yaml too'],
    [['apply', '-f', 'a.yaml', '-n', 'x', '-f', 'c.yaml'], 'NAMESPACE_MISMATCH'],
    [['prune', '-f', 'a.yaml'], 'svc: name the set: --set NAME'],
    [['apply', '-f', 'a.yaml', '--prune'], 'svc: name the set: --set NAME'],
    [['prune', '-f', 'empty.yaml', '--set', 's'], 'the input is empty'],
    [['delete', '-f', 'a.yaml', '--cascade', 'x'], '--cascade x is not known'],
  ])('refuses %j', async (words, text) => {
    const files = {
      '/work/a.yaml': file(agent('a')),
      '/work/b.yaml': file(agent('a')),
      '/work/c.yaml': file('kind: Agent\nmetadata: {name: c, namespace: y}\n'),
      '/work/broken.yaml': file('a: ['),
      '/work/list.yaml': file('[1]'),
      '/work/empty.yaml': file(''),
    };
    const shell = host({ files });
    expect(await shell.run(...words)).toBe(exitCodes.refused);
    expect(shell.err()).toContain(text);
  });

  it('puts values of variables into texts, with their type', async () => {
    const requests: ApplyManifestsRequest[] = [];
    const text =
      'kind: Workflow\nmetadata: {name: "w-{{ vars.name }}"}\nspec: {concurrency: "{{ vars.deep.n }}", description: "{{ vars.text }}"}\n';
    const files = { '/work/w.yaml': file(text), '/work/vars.yaml': file('name: from-file\ndeep: {n: 1}\n') };
    const shell = host({ files, handlers: answering([ApplyOutcome.CREATED], requests) });
    const words = ['--vars-file', 'vars.yaml', '--var', 'deep.n=3', '--var-string', 'text=7'];
    expect(await shell.run('apply', '-f', 'w.yaml', ...words)).toBe(exitCodes.ok);
    expect(JSON.parse((requests[0]?.text ?? '').slice(4))).toMatchObject({
      metadata: { name: 'w-from-file' },
      spec: { concurrency: 3, description: '7' },
    });
  });

  it.each([
    ['3', 3],
    ['"3"', '3'],
    ['true', true],
    ['[1, x]', [1, 'x']],
    [' {a: 1}', { a: 1 }],
    ['Re: hello', 'Re: hello'],
    ['- item', '- item'],
    ['{{ agent.name }} [1]', '{{ agent.name }} [1]'],
    ['{{ agent.name }}', '{{ agent.name }}'],
    ['*alias', '*alias'],
    ['', ''],
  ])('reads --var v=%s as what it looks like, else as text', async (text, value) => {
    const requests: ApplyManifestsRequest[] = [];
    const custom = 'apiVersion: a.b/v1\nkind: Thing\nmetadata: {name: x}\nspec: {v: "{{ vars.v }}"}\n';
    const shell = host({
      files: { '/work/w.yaml': file(custom) },
      handlers: answering([ApplyOutcome.CREATED], requests),
    });
    expect(await shell.run('apply', '-f', 'w.yaml', '--var', `v=${text}`)).toBe(exitCodes.ok);
    expect(JSON.parse((requests[0]?.text ?? '').slice(4))).toMatchObject({ spec: { v: value } });
  });

  it('ends with 2 when some of it is applied, with 1 when nothing is', async () => {
    const files = { '/work/a.yaml': file(agent('a')) };
    const some = host({
      files,
      handlers: answering([ApplyOutcome.CREATED, ApplyOutcome.FAILED, ApplyOutcome.NOT_ATTEMPTED]),
    });
    expect(await some.run('apply', '-f', 'a.yaml', '--no-atomic')).toBe(exitCodes.partial);
    expect(some.out()).toContain('1 created, 1 failed, 1 not attempted');
    const none = host({ files, handlers: answering([ApplyOutcome.FAILED]) });
    expect(await none.run('apply', '-f', 'a.yaml', '--no-atomic', '-o', 'json')).toBe(exitCodes.refused);
    expect(JSON.parse(none.out())).toMatchObject([
      { outcome: 'failed', findings: [{ place: 'a.yaml:3:8', reason: 'BAD' }] },
    ]);
    const down = host({
      files,
      handlers: {
        unary: {
          ApplyManifests: () => {
            throw new FakeFault('UNAUTHENTICATED', 'CREDENTIALS_MISSING');
          },
        },
      },
    });
    expect(await down.run('apply', '-f', 'a.yaml')).toBe(exitCodes.connection);
  });

  it('tells a refusal of the whole document by document', async () => {
    const handlers: FakeHandlers = {
      unary: {
        ApplyManifests: (request: ApplyManifestsRequest) => {
          if (!request.dryRun) throw new FakeFault('ABORTED', 'CONFLICT');
          return {
            results: [
              { kind: 'Agent', ns: 'default', name: 'a', outcome: ApplyOutcome.CREATED },
              {
                kind: 'Agent',
                ns: 'default',
                name: 'b',
                outcome: ApplyOutcome.FAILED,
                fieldErrors: [{ field: 'spec.systemPrompt', description: 'is managed by x', reason: 'CONFLICT' }],
              },
            ],
          };
        },
      },
    };
    const shell = host({ files: { '/work/a.yaml': file(`${agent('a')}---\n${agent('b')}`) }, handlers });
    expect(await shell.run('apply', '-f', 'a.yaml')).toBe(exitCodes.refused);
    expect(shell.out()).toBe(
      'not-attempted  Agent  default/a\nfailed         Agent  default/b  a.yaml:7:8 spec.systemPrompt: is managed by x (CONFLICT)\n1 failed, 1 not attempted\n',
    );
  });

  it('only reads with --dry-run=client', async () => {
    const shell = host({ files: { '/work/a.yaml': file(agent('a')) } });
    expect(await shell.run('apply', '-f', 'a.yaml', '--dry-run=client')).toBe(exitCodes.ok);
    expect([shell.out(), shell.calls]).toEqual(['1 document is well formed; nothing was sent\n', []]);
  });

  it('says of a dry run what would happen, in words and as JSON', async () => {
    const outcomes = [1, 2, 3, 4, 5, 6].map((outcome) => outcome as ApplyOutcome);
    const shell = host({ files: { '/work/a.yaml': file(agent('a')) }, handlers: answering(outcomes) });
    expect(await shell.run('apply', '-f', 'a.yaml', '--dry-run=server')).toBe(exitCodes.refused);
    expect(shell.out()).toBe(
      [
        'would be created     Agent  default/a0',
        'would be configured  Agent  default/a1',
        'unchanged            Agent  default/a2',
        'would be repaired    Agent  default/a3',
        'would be pruned      Agent  default/a4',
        'would fail           Agent  default/a5  spec.systemPrompt: is bad (BAD)',
        '1 would be created, 1 would be configured, 1 unchanged, 1 would be repaired, 1 would be pruned, 1 would fail (dry run: nothing was written)\n',
      ].join('\n'),
    );
    const json = host({ files: { '/work/a.yaml': file(agent('a')) }, handlers: answering([ApplyOutcome.CREATED]) });
    await json.run('apply', '-f', 'a.yaml', '--dry-run', '-o', 'json');
    expect(JSON.parse(json.out())).toMatchObject([{ outcome: 'created', dryRun: true }]);
  });

  it('shows outcomes in colours at a terminal, never with NO_COLOR or --no-color', async () => {
    const files = { '/work/a.yaml': file(agent('a')) };
    const shown = async (words: readonly string[], environment: Record<string, string> = {}): Promise<string> => {
      const shell = host({ files, handlers: answering([ApplyOutcome.CREATED]), isTerminal: true, environment });
      await shell.run('apply', '-f', 'a.yaml', ...words);
      return shell.out();
    };
    expect(await shown([])).toBe('\u001b[32mcreated\u001b[39m  Agent  default/a0\n1 created\n');
    expect(await shown(['--no-color'])).toBe('created  Agent  default/a0\n1 created\n');
    expect(await shown([], { NO_COLOR: '1' })).toBe('created  Agent  default/a0\n1 created\n');
  });

  it('asks before it prunes', async () => {
    const files = { '/work/a.yaml': file(agent('a')) };
    const outcomes = [ApplyOutcome.UNCHANGED, ApplyOutcome.PRUNED];
    const words = ['apply', '-f', 'a.yaml', '--prune', '--set', 's'];
    const piped = host({ files, handlers: answering(outcomes) });
    expect(await piped.run(...words)).toBe(exitCodes.refused);
    expect(piped.err()).toContain('--yes');
    const asked = (line: string) => {
      const terminal = new ScriptedTerminal([line]);
      return fakeHost({ files, handlers: answering(outcomes), terminal });
    };
    expect(await asked('n').run(...words)).toBe(exitCodes.refused);
    expect(await asked('yes').run(...words)).toBe(exitCodes.ok);
    expect(await host({ files, handlers: answering(outcomes) }).run(...words, '--yes')).toBe(exitCodes.ok);
  });
});

describe('svc render', () => {
  it('shows documents in stored form', async () => {
    const text =
      'kind: Schedule\nmetadata: {name: s, labels: {a: b}}\nspec: {interval: 5m, input: {b: 1, a: 2}}\n---\nkind: Namespace\nmetadata: {name: n}\n';
    const shell = host({ files: { '/work/a.yaml': file(text) } });
    expect(await shell.run('render', '-f', 'a.yaml')).toBe(exitCodes.ok);
    expect(shell.out()).toBe(
      'apiVersion: svc/v1\nkind: Schedule\nmetadata:\n  name: s\n  namespace: default\n  labels:\n    a: b\nspec:\n  intervalSeconds: 300\n  inputJson: \'{"a":2,"b":1}\'\n---\napiVersion: svc/v1\nkind: Namespace\nmetadata:\n  name: n\nspec: {}\n',
    );
    expect(await shell.run('render', '-f', 'a.yaml', '-o', 'json')).toBe(exitCodes.ok);
  });
});

describe('svc diff', () => {
  const resource = (spec: object, member = 'agent', kind = 'Agent') => ({
    kind,
    metadata: { name: 'a0', namespace: 'default', labels: {} },
    spec: { kind: { case: member, value: spec } },
  });
  const shell = (outcome: ApplyOutcome, after: object, live: object) =>
    host({
      files: { '/work/a.yaml': file(agent('a0')) },
      handlers: {
        unary: {
          ApplyManifests: () => ({ results: [{ kind: 'Agent', ns: 'default', name: 'a0', outcome, resource: after }] }),
          GetResource: () => ({ resource: live }),
        },
      },
    });

  it('shows what would change, and ends with 1', async () => {
    const changed = shell(ApplyOutcome.REPAIRED, resource({ systemPrompt: 'new' }), resource({ systemPrompt: 'old' }));
    expect(await changed.run('diff', '-f', 'a.yaml')).toBe(1);
    expect(changed.out()).toBe(
      '--- Agent default/a0 live\n+++ Agent default/a0 applied (drift)\n@@ -1,3 +1,3 @@\n metadata: {}\n spec:\n-  systemPrompt: old\n+  systemPrompt: new\n',
    );
    const created = shell(ApplyOutcome.CREATED, resource({ systemPrompt: 'new' }), {});
    expect(await created.run('diff', '-f', 'a.yaml')).toBe(1);
    expect(created.out()).toContain('+  systemPrompt: new');
    expect(await shell(ApplyOutcome.UNCHANGED, resource({}), resource({})).run('diff', '-f', 'a.yaml')).toBe(0);
  });

  it('looks for what is there under its stored kind, and names what was too large for the answer', async () => {
    const asked: object[] = [];
    const applied = [
      { kind: 'AgentTemplate', ns: 'system', name: 't', outcome: ApplyOutcome.UPDATED, resource: resource({}) },
      { kind: 'Agent', ns: 'default', name: 'b', outcome: ApplyOutcome.UPDATED },
      { kind: 'Agent', ns: 'default', name: 'c', outcome: ApplyOutcome.CREATED },
    ];
    const text = ['kind: AgentTemplate\nmetadata: {name: t}\n', agent('b'), agent('c')].join('---\n');
    const shell = host({
      files: { '/work/a.yaml': file(text) },
      handlers: {
        unary: {
          ApplyManifests: () => ({ results: applied }),
          GetResource: (request: object) => {
            asked.push(request);
            return { resource: resource({ systemPrompt: 'old' }) };
          },
        },
      },
    });
    expect(await shell.run('diff', '-f', 'a.yaml')).toBe(1);
    expect(asked).toMatchObject([{ ns: 'system', kind: 'Template', name: 't' }]);
    expect(shell.out()).toContain('-  systemPrompt: old');
    expect(shell.out()).toMatch(
      /Agent default\/b differs, which is too much to show\nAgent default\/c is new, which is too much to show\n$/,
    );
  });

  it('shows the spec of a template as what it means, not as one line of JSON', async () => {
    const template = (prompt: string) =>
      resource(
        { kind: 'Agent', specJson: JSON.stringify({ systemPrompt: prompt, tags: ['a'] }) },
        'template',
        'Template',
      );
    const changed = shell(ApplyOutcome.UPDATED, template('new'), template('old'));
    expect(await changed.run('diff', '-f', 'a.yaml')).toBe(1);
    expect(changed.out()).toContain('   spec:\n-    systemPrompt: old\n+    systemPrompt: new\n     tags:\n');
  });

  it('prints differences as JSON, both sides whole, secrets hidden', async () => {
    const env = (value: string) => resource({ systemPrompt: value, runtime: { acp: { env: { key: value } } } });
    const changed = shell(ApplyOutcome.UPDATED, env('new'), env('old'));
    expect(await changed.run('diff', '-f', 'a.yaml', '-o', 'json')).toBe(1);
    const side = (prompt: string, key: string) => ({
      metadata: {},
      spec: { systemPrompt: prompt, runtime: { acp: { env: { key } } } },
    });
    expect(JSON.parse(changed.out())).toEqual([
      {
        ...{ outcome: 'configured', kind: 'Agent', namespace: 'default', name: 'a0', changedPaths: [] },
        ...{ before: side('old', '(live)'), after: side('new', '(changed)') },
      },
    ]);
    const same = shell(ApplyOutcome.UNCHANGED, env('x'), env('x'));
    expect([await same.run('diff', '-f', 'a.yaml', '-o', 'json'), same.out()]).toEqual([0, '[]\n']);
    expect(await same.run('diff', '-f', 'a.yaml', '-o', 'yaml')).toBe(2);
  });

  it('is coloured at a terminal, and shows control characters of values without obeying them', async () => {
    const prompts = [resource({ systemPrompt: 'new\u009b1m\u007f' }), resource({ systemPrompt: 'old' })] as const;
    const live = { unary: { GetResource: () => ({ resource: prompts[1] }) } };
    const coloured = host({
      files: { '/work/a.yaml': file(agent('a0')) },
      isTerminal: true,
      handlers: {
        unary: {
          ...live.unary,
          ApplyManifests: () => ({
            results: [
              { kind: 'Agent', ns: 'default', name: 'a0', outcome: ApplyOutcome.UPDATED, resource: prompts[0] },
            ],
          }),
        },
      },
    });
    await coloured.run('diff', '-f', 'a.yaml');
    expect(coloured.out()).toContain('\u001b[36m@@ -1,3 +1,3 @@\u001b[39m\n');
    expect(coloured.out()).toContain('\u001b[31m-  systemPrompt: old\u001b[39m\n');
    expect(coloured.out()).toContain('\u001b[32m+  systemPrompt: "new\\x9b1m\\x7f"\u001b[39m\n');
  });

  it('says of secret values only whether they change', async () => {
    const env = (values: object) => resource({ runtime: { acp: { env: values } } });
    const secret = shell(
      ApplyOutcome.UPDATED,
      env({ same: 'hush', other: 'loud' }),
      env({ same: 'hush', other: 'quiet' }),
    );
    await secret.run('diff', '-f', 'a.yaml');
    expect(secret.out()).not.toMatch(/hush|loud|quiet/);
    expect(secret.out()).toContain('-        other: (live)\n+        other: (changed)');
  });

  it('ends with 2 for manifests that cannot be applied', async () => {
    const bad = host({ files: { '/work/a.yaml': file('kind: X\n') } });
    expect(await bad.run('diff', '-f', 'a.yaml')).toBe(2);
    const failing = host({ files: { '/work/a.yaml': file(agent('a')) }, handlers: answering([ApplyOutcome.FAILED]) });
    expect(await failing.run('diff', '-f', 'a.yaml')).toBe(2);
    expect(failing.err()).toContain('a.yaml:3:8 spec.systemPrompt: is bad (BAD)');
    expect(await failing.run('diff', '-f', 'none.yaml')).toBe(2);
    const refusing = (code: string): Promise<number> =>
      host({
        files: { '/work/a.yaml': file(agent('a')) },
        handlers: {
          unary: {
            ApplyManifests: () => {
              throw new FakeFault(code, 'X');
            },
          },
        },
      }).run('diff', '-f', 'a.yaml');
    expect([await refusing('INVALID_ARGUMENT'), await refusing('UNAUTHENTICATED')]).toEqual([2, 3]);
  });
});

describe('svc delete -f and svc prune', () => {
  const text = [
    agent('a'),
    'kind: Namespace\nmetadata: {name: n}\n',
    'kind: ChannelSubscription\nmetadata: {name: room/s}\nspec: {agent: a}\n',
  ].join('---\n');
  const files = { '/work/a.yaml': file(text) };
  type Request = { readonly kind: string; readonly ns: string; readonly name: string; readonly parent: string };

  it('deletes in reverse order and minds nothing that is gone', async () => {
    const seen: string[] = [];
    const handlers: FakeHandlers = {
      unary: {
        DeleteResource: ({ kind, ns, name, parent }: Request) => {
          seen.push([kind, ns, parent, name].join(' '));
          if (kind === 'Agent') throw new FakeFault('NOT_FOUND', 'AGENT_NOT_FOUND');
          throw new FakeFault('FAILED_PRECONDITION', 'NAMESPACE_DELETED');
        },
      },
    };
    const shell = host({ files, handlers });
    expect(await shell.run('delete', '-f', 'a.yaml')).toBe(exitCodes.ok);
    expect(seen).toEqual(['ChannelSubscription default room s', 'Agent default  a', 'Namespace n  n']);
    expect(shell.out()).toContain('Agent default/a is not there\n');
    expect(shell.out()).toContain('Namespace n/n is not there any more\n');
  });

  it('deletes and prunes though texts and bytes that the manifests name are gone', async () => {
    const gone = [
      'kind: File\nspec: {path: /docs/a.md, contentFromFile: gone.md}\n',
      'kind: Knowledge\nmetadata: {name: k}\nspec: {contentFromFile: gone.md}\n',
      'kind: Skill\nmetadata: {name: s}\nspec: {description: d, instructionsFromFile: gone.md}\n',
      'kind: Secret\nmetadata: {name: x}\nspec: {fromFile: {k: gone}, fromEnv: {e: GONE}}\n',
    ].join('---\n');
    const seen: string[] = [];
    const handlers: FakeHandlers = {
      unary: {
        DeleteResource: ({ kind, name }: Request) => ({ pending: seen.push(`${kind} ${name}`) < 0 }),
        ListResources: () => ({ resources: [] }),
      },
    };
    const shell = host({ files: { '/work/a.yaml': file(gone) }, handlers });
    expect(await shell.run('delete', '-f', 'a.yaml')).toBe(exitCodes.ok);
    expect(seen).toEqual([expect.stringMatching(/^File docs-a-md-/), 'Knowledge k', 'Skill s', 'Secret x']);
    expect(await shell.run('prune', '-f', 'a.yaml', '--set', 's', '--yes')).toBe(exitCodes.ok);
    expect(await shell.run('render', '-f', 'a.yaml')).toBe(exitCodes.refused);
    expect(shell.err()).toMatch(/^svc: nothing is rendered:\n.*there is no file gone.md/);
  });

  it('prunes nothing that the manifests mean by another name or kind', async () => {
    const text = [
      'kind: File\nspec: {path: /docs/a.md}\n',
      'kind: AgentTemplate\nmetadata: {name: base}\nspec: {}\n',
      'kind: ChannelSubscription\nmetadata: {name: room/s}\nspec: {agent: a}\n',
      'kind: Namespace\nmetadata: {name: n}\n',
    ].join('---\n');
    const annotations = { 'svc/apply-set': 's' };
    const member = (kind: string, namespace: string, name: string) => ({
      ...{ kind, metadata: { name, namespace, annotations } },
      ...(kind === 'ChannelSubscription'
        ? { spec: { kind: { case: 'channelSubscription', value: { channel: 'room' } } } }
        : {}),
    });
    const seen: string[] = [];
    const shell = host({
      files: { '/work/a.yaml': file(text) },
      handlers: {
        unary: {
          ListResources: () => ({
            resources: [
              member(
                'File',
                'default',
                `docs-a-md-${createHash('sha256').update('/docs/a.md').digest('hex').slice(0, 12)}`,
              ),
              member('Template', 'system', 'base'),
              member('ChannelSubscription', 'default', 's'),
              member('Namespace', 'n', 'n'),
              member('Task', 'default', 'old'),
            ],
          }),
          DeleteResource: ({ kind, name }: Request) => ({ pending: seen.push(`${kind} ${name}`) < 0 }),
        },
      },
    });
    expect(await shell.run('prune', '-f', 'a.yaml', '--set', 's', '--yes', '--prune-namespaces')).toBe(exitCodes.ok);
    expect(seen).toEqual(['Task old']);
  });

  it('deletes what variables name', async () => {
    const seen: string[] = [];
    const handlers: FakeHandlers = {
      unary: { DeleteResource: ({ name }: Request) => ({ pending: seen.push(name) < 0 }) },
    };
    const shell = host({ files: { '/work/a.yaml': file(agent('"{{ vars.who }}"')) }, handlers });
    expect(await shell.run('delete', '-f', 'a.yaml')).toBe(exitCodes.refused);
    expect(await shell.run('delete', '-f', 'a.yaml', '--var', 'who=bot')).toBe(exitCodes.ok);
    expect(seen).toEqual(['bot']);
  });

  it('takes a custom kind of which nothing is stored for gone', async () => {
    const DeleteResource = () => {
      throw new FakeFault('INVALID_ARGUMENT', 'FIELD_INVALID', { fields: ['kind'], fieldReason: 'UNKNOWN_KIND' });
    };
    const custom = 'apiVersion: a.b/v1\nkind: Thing\nmetadata: {name: x}\n';
    const shell = host({ files: { '/work/a.yaml': file(custom) }, handlers: { unary: { DeleteResource } } });
    expect(await shell.run('delete', '-f', 'a.yaml')).toBe(exitCodes.ok);
    expect(shell.out()).toBe('Thing default/x is not there\n');
  });

  it('ends with 2 when only some of it went', async () => {
    const handlers: FakeHandlers = {
      unary: {
        DeleteResource: ({ kind }: Request) => {
          if (kind === 'Agent') throw new FakeFault('ABORTED', 'CONFLICT');
          return {};
        },
      },
    };
    expect(await host({ files, handlers }).run('delete', '-f', 'a.yaml')).toBe(exitCodes.partial);
    const first = host({ files: { '/work/a.yaml': file(agent('a')) }, handlers });
    expect(await first.run('delete', '-f', 'a.yaml')).toBe(exitCodes.refused);
  });

  it('keeps an agent template of the input, and of two subscriptions of one name the one of its channel', async () => {
    const annotations = { 'svc/apply-set': 's' };
    const subscription = (channel: string) => ({
      kind: 'ChannelSubscription',
      metadata: { name: 'x', namespace: 'default', annotations },
      spec: { kind: { case: 'channelSubscription', value: { channel } } },
    });
    const template = { kind: 'Template', metadata: { name: 't', namespace: 'system', annotations } };
    const gone: string[] = [];
    const shell = host({
      files: {
        '/work/a.yaml': file(
          'kind: ChannelSubscription\nmetadata: {name: here/x}\n---\nkind: AgentTemplate\nmetadata: {name: t}\n',
        ),
      },
      handlers: {
        unary: {
          ListResources: () => ({ resources: [subscription('here'), subscription('there'), template] }),
          DeleteResource: ({ kind, name, parent }: Request & { readonly parent: string }) => {
            gone.push(`${kind} ${parent}/${name}`);
            return {};
          },
        },
      },
    });
    expect(await shell.run('prune', '-f', 'a.yaml', '--set', 's', '--yes')).toBe(exitCodes.ok);
    expect(gone).toEqual(['ChannelSubscription there/x']);
  });

  it('prunes only members of the set that the input lacks, never namespaces by the way', async () => {
    const member = (kind: string, name: string, set: string) => ({
      kind,
      metadata: { name, namespace: kind === 'Namespace' ? '' : 'default', annotations: { 'svc/apply-set': set } },
    });
    const seen: string[] = [];
    const handlers: FakeHandlers = {
      unary: {
        ListResources: ({ pageToken }: { readonly pageToken: string }) =>
          pageToken === ''
            ? { resources: [member('Agent', 'a', 's'), member('Agent', 'old', 's')], nextPageToken: 'next' }
            : { resources: [member('Skill', 'x', 'other'), member('Namespace', 'gone', 's')] },
        DeleteResource: ({ kind, name }: Request) => {
          seen.push(`${kind} ${name}`);
          return {};
        },
      },
    };
    expect(await host({ files, handlers }).run('prune', '-f', 'a.yaml', '--set', 's', '--yes')).toBe(exitCodes.ok);
    expect(seen).toEqual(['Agent old']);
    await host({ files, handlers }).run('prune', '-f', 'a.yaml', '--set', 's', '--yes', '--prune-namespaces');
    expect(seen).toEqual(['Agent old', 'Agent old', 'Namespace gone']);
  });
});
