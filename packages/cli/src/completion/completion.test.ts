import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';
import { scripts } from './scripts.ts';

const complete = async (words: readonly string[], options: FakeOptions = {}): Promise<string[]> => {
  const fake = fakeHost(options);
  expect(await fake.run('__complete', '--', ...words)).toBe(0);
  return fake
    .out()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '');
};

const handlers = {
  unary: {
    ListAgents: (request: { ns: string }) => ({
      agents: [{ metadata: { name: `${request.ns}-demo` } }, { metadata: { name: 'other' } }],
    }),
    ListNamespaces: () => ({ namespaces: [{ metadata: { name: 'acme' } }] }),
    ListSessions: () => ({ sessions: [{ sessionId: 's1' }] }),
    ListResources: ({ kind, ns }: { kind: string; ns: string }) => ({
      resources: [
        {
          ...{ kind, metadata: { name: `${kind.toLowerCase()}-${ns}` } },
          ...(kind === 'File' ? { spec: { kind: { case: 'file', value: { path: '/a/b' } } } } : {}),
          ...(kind === 'Knowledge' ? { spec: { kind: { case: 'knowledge', value: { path: 'c/d' } } } } : {}),
        },
      ],
    }),
  },
};

describe('completion', () => {
  it('knows commands, subcommands, flags and fixed words', async () => {
    expect(await complete(['c'])).toEqual(['config', 'completion', 'create', 'chat', 'channel', 'connector']);
    expect(await complete(['session', 's'])).toEqual(['stop', 'stream', 'send']);
    expect(await complete(['chat', '--sh'])).toEqual(['--show-reasoning']);
    expect(await complete(['chat', '--serv'])).toEqual(['--server']);
    expect(await complete(['get', ''])).toEqual(
      expect.arrayContaining(['namespaces', 'agents', 'sessions', 'workflows', 'tasks']),
    );
    expect(await complete(['get', 'agents', '-o', 'ya'])).toEqual(['yaml']);
    expect(await complete(['get', 'agents', '--output=ya'])).toEqual(['--output=yaml']);
    expect(await complete(['chat', '--file=x'])).toEqual([]);
    expect(await complete(['chat', '--what=x'])).toEqual([]);
    expect(await complete(['events', '--kind', 'age'])).toEqual(['agents']);
    expect(await complete(['completion', 'f'])).toEqual(['fish']);
    expect(await complete(['session', 'permit', 's1', 'p1', ''])).toEqual(['allow', 'deny']);
    expect(await complete(['whoami', ''])).toEqual([]);
  });

  it('knows live names, of the namespace that is written', async () => {
    expect(await complete(['chat', ''], { handlers })).toEqual(['default-demo', 'other']);
    expect(await complete(['-n', 'acme', 'chat', 'acme'], { handlers })).toEqual(['acme-demo']);
    expect(await complete(['--namespace=acme', 'chat', 'acme'], { handlers })).toEqual(['acme-demo']);
    expect(await complete(['get', 'agents', 'o'], { handlers })).toEqual(['other']);
    expect(await complete(['chat', '-n', ''], { handlers })).toEqual(['acme']);
    expect(await complete(['session', 'stop', ''], { handlers })).toEqual(['s1', 's1']);
  });

  it('knows the live names of what each command is about', async () => {
    const named = (...words: string[]) => complete([...words, ''], { handlers });
    expect(await named('edit', 'channels')).toEqual(['channel-default']);
    expect(await named('label', 'skill')).toEqual(['skill-default']);
    expect(await named('channel', 'post')).toEqual(['channel-default']);
    expect(await named('schedule', 'next')).toEqual(['schedule-default']);
    expect(await named('secret', 'get')).toEqual(['secret-default']);
    expect(await named('worker', 'drain')).toEqual(['worker-system']);
    expect(await named('namespace', 'purge')).toEqual(['acme']);
    expect(await named('agent', 'rebase')).toEqual(['default-demo', 'other']);
    expect(await named('file', 'get')).toEqual(['/a/b']);
    expect(await named('knowledge', 'get')).toEqual(['c/d']);
    expect(await complete(['file', 'put', 'x', '--purpose', 'm'])).toEqual(['memory']);
    expect(await complete(['delete', 'agent', 'x', '--cascade', 'o'])).toEqual(['orphan']);
  });

  it('offers no names without a server, or when it takes too long', async () => {
    expect(await complete(['chat', ''])).toEqual([]);
    const slow = { unary: { ListAgents: () => new Promise<never>(() => undefined) } };
    expect(await complete(['chat', ''], { handlers: slow })).toEqual([]);
  });

  it('prints a script for four shells and no other', async () => {
    const fake = fakeHost();
    for (const shell of Object.keys(scripts)) expect(await fake.run('completion', shell)).toBe(0);
    expect(fake.out()).toContain('complete -o default -F _svc_complete svc');
    expect(await fake.run('completion', 'tcsh')).toBe(exitCodes.refused);
    expect(Object.keys(scripts)).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });

  it.each([
    ['svc c', ['svc', 'c'], 'chat create '],
    ['svc ', ['svc', ''], 'chat create '],
    // Readline takes colons and equals signs for words of their own.
    ['svc -n acme:r', ['svc', '-n', 'acme', ':', 'r'], 'red '],
    ['svc -n acme:', ['svc', '-n', 'acme', ':'], 'red '],
  ])('loads in bash and completes %j there', (line, words, expected) => {
    const answers = `case "$*" in *acme:*) echo acme:red ;; *) printf 'chat\\thelp\\ncreate\\thelp\\n' ;; esac`;
    const given = `COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`;
    const probe = `svc() { ${answers}; }\n${scripts['bash'] ?? ''}\n${given}; COMP_CWORD=${words.length - 1}; _svc_complete; printf '%s ' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', probe], { encoding: 'utf8' })).toBe(expected);
  });
});
