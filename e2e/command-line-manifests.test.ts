import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { ApplyResourceRequestSchema } from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { ServerProcess, until } from './server-process/index.ts';
import { grpcCaller } from './transports/callers/index.ts';

let home: Home;
let server: ServerProcess;
let rest: RestCaller;
beforeEach(async () => {
  home = new Home();
  server = await ServerProcess.start();
  rest = new RestCaller(server.url);
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const svc = async (words: readonly string[], input?: string) => {
  const command = home.run(words, { SVC_SERVER: server.url });
  if (input !== undefined) command.write(input);
  const exit = await command.ended();
  return { exit, out: command.stdout, err: command.stderr };
};
const write = (name: string, text: string): void => writeFileSync(join(home.path, name), text);

/** The newest version of the store. */
const version = async (): Promise<string> =>
  (await rest.ok<{ resourceVersion: string }>('GET /v1/ns/-/resources?pageSize=1')).resourceVersion;

interface CheckedServer {
  readonly resource: { readonly status: { readonly mcpServer?: { readonly conditions?: readonly unknown[] } } };
}

/** Waits until svc has checked whether the MCP server answers, and written its status: after that nothing changes by itself. */
const mcpServerChecked = (name: string): Promise<true> =>
  until('the MCP server was checked', async () => {
    const { resource } = await rest.ok<CheckedServer>(`GET /v1/ns/default/resources/McpServer/${name}`);
    return (resource.status.mcpServer?.conditions ?? []).length > 0 || undefined;
  });

const skill = (name: string, description = 'd'): string =>
  `kind: Skill\nmetadata: {name: ${name}}\nspec: {description: ${description}, instructions: i}\n`;

describe('svc apply against a running server', { timeout: 180_000 }, () => {
  it('applies a directory of 30 documents in rank order, and again changes nothing (PL-18.2)', async () => {
    mkdirSync(join(home.path, 'team', 'more'), { recursive: true });
    const kinds = (index: number): readonly string[] => [
      `kind: ChannelSubscription\nmetadata: {name: room${index}/a${index}, namespace: acme:n${index}}\nspec: {agent: a${index}}\n`,
      `kind: Schedule\nmetadata: {name: s${index}, namespace: acme:n${index}}\nspec: {cron: 0 3 * * *, target: {agent: a${index}}, inputMessage: x}\n`,
      `kind: Channel\nmetadata: {name: room${index}, namespace: acme:n${index}}\nspec: {title: Room}\n`,
      `kind: Agent\nmetadata: {name: a${index}, namespace: acme:n${index}}\nspec: {systemPrompt: Hi, mcpServerRefs: []}\n`,
      `kind: Namespace\nmetadata: {name: "acme:n${index}"}\n`,
      skill(`skill-${index}`),
    ];
    const documents = [0, 1, 2, 3, 4].flatMap(kinds);
    for (const [index, document] of documents.entries())
      write(join('team', index % 2 === 0 ? 'more' : '', `${(index * 7) % 30}.yaml`), document);
    const first = await svc(['apply', '-f', 'team', '--wait']);
    expect(first).toMatchObject({ exit: 0, out: expect.stringContaining('30 created') });
    const before = await version();
    expect((await svc(['apply', '-f', 'team'])).out).toMatch(/^(unchanged .*\n){30}30 unchanged\n$/);
    expect(await version()).toBe(before);
  });

  it('takes back what get and export print without a change (PL-18.3)', async () => {
    write(
      'all.yaml',
      [
        'kind: AgentTemplate\nmetadata: {name: base}\nspec: {systemPrompt: "{{ agent.name }}"}\n',
        'kind: Template\nmetadata: {name: t}\nspec: {kind: Skill, spec: {description: "{{ namespace.leaf }}"}}\n',
        `kind: Skill\nmetadata: {name: braces}\nspec: {description: "{% raw %}{{ x }}{% endraw %}", instructions: i}\n`,
        'kind: Secret\nmetadata: {name: s}\nspec: {stringData: {k: hush}}\n',
        'kind: Knowledge\nmetadata: {name: a/b}\nspec: {content: "# text"}\n',
        'kind: McpServer\nmetadata: {name: m}\nspec: {transport: http, target: "http://127.0.0.1:9/mcp", headers: {x: y}}\n',
        'kind: Agent\nmetadata: {name: a}\nspec: {systemPrompt: "{{ agent.name }}"}\n',
        'kind: UsagePolicy\nmetadata: {name: u}\nspec: {hard: [{metric: tool.calls, max: 5, window: 1h}]}\n',
        'kind: Task\nmetadata: {name: k}\nspec: {title: x}\n',
        'apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n',
      ].join('---\n'),
    );
    expect((await svc(['apply', '-f', 'all.yaml'])).out).toContain('10 created');
    await mcpServerChecked('m');
    const before = await version();
    const { out: printed } = await svc(['export', '-A']);
    expect((await svc(['apply', '-f', '-'], printed)).out).toMatch(/\n\d+ unchanged\n$/);
    for (const words of [
      ['skill', 'braces'],
      ['secret', 's'],
      ['Widget', 'w'],
      ['template', 'base', '-n', 'system'],
    ]) {
      const { out } = await svc(['get', ...words, '-o', 'manifest']);
      expect((await svc(['apply', '-f', '-'], out)).out).toMatch(/^unchanged .*\n1 unchanged\n$/);
    }
    expect(await version()).toBe(before);
  });

  it('finds in a text what POST /v1/manifests:apply finds in it, and applies nothing (PL-18.1, 18.5)', async () => {
    const text = [
      'kind: Agent\nmetadata: {name: a}\nspec: {sistemPrompt: x}\n',
      'kind: Channel\nmetadata: {name: c}\nspec: {title: [1]}\n',
      'kind: Task\nmetadata: {name: t}\nspec: {title: x}\nstatus: {phase: done}\n',
      skill('good'),
    ].join('---\n');
    write('wrong.yaml', text);
    const refused = await svc(['apply', '-f', 'wrong.yaml']);
    const lines = refused.err.split('\n').filter((line) => line.startsWith('wrong.yaml:'));
    const places = lines.map((line) => /^wrong\.yaml:(\d+):(\d+): [^:]*: ([^:]*): .*\((\w+)\)$/.exec(line)?.slice(1));
    const answer = await rest.fetch('/v1/manifests:apply?ns=default', {
      ...{ method: 'POST', headers: { 'content-type': 'application/yaml' }, body: text },
    });
    const { error } = (await answer.json()) as { error: { details: { results?: { fieldErrors: Found[] }[] }[] } };
    interface Found {
      readonly line: number;
      readonly column: number;
      readonly field: string;
      readonly reason: string;
    }
    const found = error.details.flatMap(({ results = [] }) => results.flatMap(({ fieldErrors }) => fieldErrors));
    expect(found.map(({ line, column, field, reason }) => [String(line), String(column), field, reason])).toEqual(
      places,
    );
    expect(places).toHaveLength(3);
    write('twice.yaml', 'kind: Skill\nkind: Skill\n');
    expect((await svc(['apply', '-f', 'twice.yaml'])).err).toMatch(/twice\.yaml:2:1: .*\(DUPLICATE_KEY\)/);
    expect([refused.exit, (await svc(['get', 'skill', 'good'])).exit]).toEqual([1, 4]);
  });

  it('changes all or nothing, or one by one with exit code 2 (PL-18.6)', async () => {
    const bad = 'kind: ChannelSubscription\nmetadata: {name: none/s}\nspec: {agent: nobody}\n';
    write('some.yaml', [skill('one'), skill('two'), bad].join('---\n'));
    expect(await svc(['apply', '-f', 'some.yaml'])).toMatchObject({
      exit: 1,
      out: expect.stringContaining('1 failed'),
    });
    expect((await svc(['get', 'skills'])).err).toContain('no skills');
    const partly = await svc(['apply', '-f', 'some.yaml', '--no-atomic']);
    expect(partly).toMatchObject({ exit: 2, out: expect.stringContaining('2 created, 1 failed') });
    expect((await svc(['get', 'skills', '-o', 'name'])).out).toBe('skill/one\nskill/two\n');
  });

  it('rehearses on the server documents that refer to each other, and leaves nothing behind (PL-18.7)', async () => {
    write(
      'room.yaml',
      [
        'kind: ChannelSubscription\nmetadata: {name: room/a}\nspec: {agent: a}\n',
        'kind: Channel\nmetadata: {name: room}\n',
        'kind: Agent\nmetadata: {name: a}\n',
      ].join('---\n'),
    );
    const before = await version();
    expect(await svc(['apply', '-f', 'room.yaml', '--dry-run=server'])).toMatchObject({
      exit: 0,
      out: expect.stringContaining('3 would be created'),
    });
    expect([await version(), (await svc(['get', 'channels'])).err]).toEqual([
      before,
      expect.stringContaining('no channels'),
    ]);
  });

  it('leaves fields of other managers alone until they are forced (PL-18.9)', async () => {
    write('prompt.yaml', 'kind: Agent\nmetadata: {name: a}\nspec: {systemPrompt: one}\n');
    write('tail.yaml', 'kind: Agent\nmetadata: {name: a}\nspec: {postHistoryPrompt: tail}\n');
    write('other.yaml', 'kind: Agent\nmetadata: {name: a}\nspec: {systemPrompt: two}\n');
    await svc(['apply', '-f', 'prompt.yaml', '--manager', 'first']);
    expect((await svc(['apply', '-f', 'tail.yaml', '--manager', 'second'])).out).toContain('1 configured');
    expect((await svc(['apply', '-f', 'prompt.yaml', '--manager', 'first'])).out).toContain('1 unchanged');
    expect(await svc(['apply', '-f', 'other.yaml', '--manager', 'second'])).toMatchObject({
      exit: 1,
      out: expect.stringContaining('is managed by first'),
    });
    expect(await svc(['apply', '-f', 'other.yaml', '--manager', 'second', '--force-conflicts'])).toMatchObject({
      exit: 0,
    });
    expect((await svc(['get', 'agent', 'a', '-o', 'jsonpath={.spec.systemPrompt}'])).out).toBe('two\n');
  });

  it('prunes what its set no longer holds, never namespaces by the way, nor all of it by mistake (PL-18.10)', async () => {
    write('set.yaml', [skill('one'), skill('two'), 'kind: Namespace\nmetadata: {name: acme}\n'].join('---\n'));
    write('mine.yaml', skill('mine'));
    write('less.yaml', skill('one'));
    write('none.yaml', '');
    await svc(['apply', '-f', 'set.yaml', '--set', 'site']);
    await svc(['apply', '-f', 'mine.yaml']);
    expect(await svc(['prune', '-f', 'none.yaml', '--set', 'site', '--yes'])).toMatchObject({ exit: 1 });
    expect(await svc(['prune', '-f', 'less.yaml', '--set', 'site'], '')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('--yes'),
    });
    expect((await svc(['prune', '-f', 'less.yaml', '--set', 'site', '--yes'])).out).toBe('Skill default/two deleted\n');
    expect((await svc(['get', 'skills', '-o', 'name'])).out).toBe('skill/mine\nskill/one\n');
    expect((await svc(['get', 'namespace', 'acme'])).exit).toBe(0);
  });

  it('puts variables in with their type, and texts as texts (PL-18.11)', async () => {
    write('v.yaml', 'kind: Channel\nmetadata: {name: "{{ vars.name }}"}\nspec: {title: "{{ vars.title }}"}\n');
    const title = 'x: {y: [1]}\n# no comment';
    const given = ['-f', 'v.yaml', '--var', 'name=room', '--var-string', `title=${title}`];
    expect(JSON.parse((await svc(['render', ...given, '-o', 'json'])).out)).toMatchObject([{ spec: { title } }]);
    await svc(['apply', ...given]);
    expect(JSON.parse((await svc(['get', 'channel', 'room', '-o', 'json'])).out)).toMatchObject({ spec: { title } });
    expect((await svc(['apply', '-f', 'v.yaml', '--var', 'name=room'])).err).toMatch(/v\.yaml:3:15: .*vars\.title/);
    write(
      'mixed.yaml',
      'kind: Channel\nmetadata: {name: m}\nspec: {title: "{{ vars.a | default: namespace.leaf }}"}\n',
    );
    expect(await svc(['render', '-f', 'mixed.yaml', '--var', 'a=1'])).toMatchObject({ exit: 1 });
    write(
      'typed.yaml',
      'kind: Schedule\nmetadata: {name: s}\nspec: {intervalSeconds: "{{ vars.n }}", inputMessage: x}\n',
    );
    expect(JSON.parse((await svc(['render', '-f', 'typed.yaml', '--var', 'n=300', '-o', 'json'])).out)).toMatchObject([
      { spec: { intervalSeconds: 300 } },
    ]);
  });

  it('refuses system mount points through every door (PL-18.12)', async () => {
    const policy = (mountPath: string) => ({ classRef: { name: 'c' }, template: { workspace: { mountPath } } });
    const apply = methods.find(({ name }) => name === 'ApplyResource');
    if (apply === undefined) throw new Error('there is no ApplyResource');
    const grpc = grpcCaller(server.url);
    for (const mountPath of ['/etc', '/etc/x', '/usr/../etc', '/proc/', 'relative']) {
      write('p.yaml', `kind: SandboxPolicy\nmetadata: {name: p}\nspec: ${JSON.stringify(policy(mountPath))}\n`);
      expect((await svc(['apply', '-f', 'p.yaml'])).out).toContain('(MOUNT_PATH)');
      const spec = { sandboxPolicy: policy(mountPath) };
      const byRest = await rest.call('PUT /v1/ns/default/resources/SandboxPolicy/p', { manifest: { spec } });
      expect([byRest.status, JSON.stringify(byRest.body)]).toEqual([400, expect.stringContaining('MOUNT_PATH')]);
      const value = { classRef: { name: 'c' }, template: { workspace: { mountPath } } };
      const request = create(ApplyResourceRequestSchema, {
        ...{ ns: 'default', kind: 'SandboxPolicy', name: 'p' },
        manifest: { kind: 'SandboxPolicy', spec: { kind: { case: 'sandboxPolicy', value } } },
      });
      expect(JSON.stringify(await grpc.call(apply, request))).toContain('MOUNT_PATH');
    }
    grpc.close();
    write('p.yaml', `kind: SandboxPolicy\nmetadata: {name: p}\nspec: ${JSON.stringify(policy('/workspace'))}\n`);
    expect((await svc(['apply', '-f', 'p.yaml'])).exit).toBe(0);
  });
});
