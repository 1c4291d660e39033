import { ApplyOutcome, type ApplyResourceRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost } from '../testing/fake-host.ts';

type Manifest = NonNullable<ApplyResourceRequest['manifest']>;

/** One stored agent, and what happens to each write before it is judged. */
class Stored {
  version = 7;
  agent: { systemPrompt: string; postHistoryPrompt?: string } = { systemPrompt: 'Be kind.' };
  labels: Record<string, string> = { team: 'red' };
  beforeWrite: (() => void)[] = [];
  readonly written: Manifest[] = [];
  readonly requests: ApplyResourceRequest[] = [];

  resource(name = 'helper') {
    const metadata = {
      ...{ name, namespace: 'default', uid: 'u', generation: 1n },
      ...{ resourceVersion: String(this.version), labels: this.labels },
    };
    return { apiVersion: 'svc/v1', kind: 'Agent', metadata, spec: { kind: { case: 'agent', value: this.agent } } };
  }

  readonly handlers: FakeHandlers = {
    unary: {
      GetResource: ({ name }: { name: string }) => {
        if (name === 'gone') throw new FakeFault('NOT_FOUND', 'AGENT_NOT_FOUND');
        return { resource: this.resource(name) };
      },
      ListAgents: () => ({ agents: [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }] }),
      ApplyResource: (request: ApplyResourceRequest) => {
        this.beforeWrite.shift()?.();
        this.requests.push(request);
        const { manifest } = request;
        if (manifest?.spec?.kind.case !== 'agent') throw new FakeFault('INTERNAL', 'INTERNAL');
        const { systemPrompt } = manifest.spec.kind.value;
        if (manifest.metadata?.resourceVersion !== String(this.version)) throw new FakeFault('ABORTED', 'CONFLICT');
        if (systemPrompt === 'bad')
          throw new FakeFault('INVALID_ARGUMENT', 'FIELD_INVALID', { fields: ['spec.systemPrompt'] });
        if (systemPrompt === 'blocked') throw new FakeFault('FAILED_PRECONDITION', 'RESOURCE_DELETING');
        if (systemPrompt === 'forbidden') throw new FakeFault('PERMISSION_DENIED', 'ROLE');
        this.written.push(manifest);
        const { labels, annotations } = manifest.metadata;
        const said = JSON.stringify([systemPrompt, labels, annotations]);
        const isSame = said === JSON.stringify([this.agent.systemPrompt, this.labels, {}]);
        return { resource: this.resource(), outcome: isSame ? ApplyOutcome.UNCHANGED : ApplyOutcome.UPDATED };
      },
    },
  };
}

let stored: Stored;
beforeEach(() => {
  stored = new Stored();
});

type Writer = (text: string) => string | number | undefined;

/** A person whose editor is opened as often as there are writers; texts they were shown are kept. */
const editing = (...writers: readonly Writer[]) => {
  const shown: string[] = [];
  const left = [...writers];
  const host = fakeHost({
    handlers: stored.handlers,
    environment: { EDITOR: 'ed' },
    editor: (text) => {
      shown.push(text);
      return (left.shift() ?? (() => text))(text);
    },
  });
  return { ...host, shown };
};
const change =
  (from: string, to: string): Writer =>
  (text) =>
    text.replace(from, to);
const kept = (files: ReadonlyMap<string, unknown>): readonly string[] =>
  [...files.keys()].filter((path) => path.startsWith('/tmp'));

describe('svc edit', () => {
  it('shows the manifest without what the server decides, and replaces what was read', async () => {
    const shell = editing(change('kind.', 'brief.'));
    expect(await shell.run('edit', 'agent', 'helper')).toBe(exitCodes.ok);
    expect(shell.out()).toBe('agent/helper edited\n');
    expect(shell.shown[0]).toContain('# Agent default/helper: save');
    expect(shell.shown[0]).not.toMatch(/uid|resourceVersion|generation|status/);
    expect(stored.written[0]).toMatchObject({
      metadata: { name: 'helper', resourceVersion: '7', labels: { team: 'red' } },
      spec: { kind: { value: { systemPrompt: 'Be brief.' } } },
    });
    expect(kept(shell.files)).toEqual([]);
  });

  it.each<[string, Writer, string]>([
    ['nothing changed', (text) => text, 'nothing was changed'],
    ['only comments and order changed', (text) => `# hi\n${text}\n`, 'nothing was changed'],
    ['everything was removed', () => '# a comment\n\n', 'the file is empty: nothing was written'],
  ])('writes nothing when %s', async (_, writer, note) => {
    const shell = editing(writer);
    expect(await shell.run('edit', 'agent/helper')).toBe(exitCodes.ok);
    expect([shell.out(), shell.err()]).toEqual(['', `${note}\n`]);
    expect(stored.requests).toEqual([]);
    expect(kept(shell.files)).toEqual([]);
  });

  it('opens again with findings at their lines, of the parser and of the server, until it is right', async () => {
    const shell = editing(
      change('systemPrompt: Be kind.', 'sistemPrompt: x'),
      (text) => text.replace('sistemPrompt: x', 'systemPrompt: bad'),
      change('bad', 'good'),
    );
    expect(await shell.run('edit', 'agent', 'helper')).toBe(exitCodes.ok);
    const [, second = '', third = ''] = shell.shown;
    const lineOf = (text: string, word: string) => text.split('\n').findIndex((line) => line.startsWith(word)) + 1;
    expect(second).toContain(
      `#   line ${lineOf(second, '  sistemPrompt')}: spec.sistemPrompt: unknown field, did you mean systemPrompt`,
    );
    expect(third).toContain(`#   line ${lineOf(third, '  systemPrompt')}: spec.systemPrompt: is wrong (WRONG)`);
    expect(third.match(/Nothing is written/g)).toHaveLength(1);
    expect(stored.written).toHaveLength(1);
  });

  it('opens again on a conflict, with the changes on the newer state and what both changed', async () => {
    stored.beforeWrite = [
      () => {
        stored.version = 9;
        stored.labels = { team: 'red', tier: 'gold' };
        stored.agent = { systemPrompt: 'Theirs.' };
      },
    ];
    const shell = editing(change('Be kind.', 'Mine.'));
    expect(await shell.run('edit', 'agent', 'helper')).toBe(exitCodes.ok);
    expect(shell.shown[1]).toContain('spec.systemPrompt: you both changed it; theirs is "Theirs."');
    expect(shell.shown[1]).toContain('metadata.labels.tier: changed by others');
    expect(stored.written).toMatchObject([
      {
        metadata: { resourceVersion: '9', labels: { tier: 'gold' } },
        spec: { kind: { value: { systemPrompt: 'Mine.' } } },
      },
    ]);
  });

  it.each<[string, Writer, string]>([
    ['a text left as it was refused', change('kind: Agent', 'kind: Agnt'), 'left as it was refused'],
    ['another name', change('name: helper', 'name: other'), 'metadata.name: cannot change; it is helper'],
    ['two documents', (text) => `${text}---\nkind: Agent\nmetadata: {name: b}\n`, 'is one document, not 2'],
    ['a refusal of the whole', change('Be kind.', 'blocked'), 'RESOURCE_DELETING'],
    ['a failure that no text mends', change('Be kind.', 'forbidden'), 'ROLE'],
    ['an editor that fails after a change', () => 3, 'the editor ended with 3'],
  ])('keeps the text of %s and says where', async (_, writer, reason) => {
    const shell = editing((text) => {
      const written = writer(text);
      if (written === 3) shell.files.set('/tmp/svc-1/agent-helper.yaml', { text: 'changed', mode: 0o600 });
      return written;
    });
    expect(await shell.run('edit', 'agent', 'helper')).not.toBe(exitCodes.ok);
    expect(shell.err()).toContain(reason);
    expect(shell.err()).toContain('your text is kept in /tmp/svc-1/agent-helper.yaml');
    expect(kept(shell.files)).toEqual(['/tmp/svc-1/agent-helper.yaml']);
    expect(stored.written).toEqual([]);
  });

  it('takes SVC_EDITOR before VISUAL before EDITOR before vi, and says when there is none', async () => {
    const commands: string[] = [];
    const of = (environment: Record<string, string>) =>
      fakeHost({
        handlers: stored.handlers,
        environment,
        editor: (_text, command) => {
          commands.push(command);
          return undefined;
        },
      });
    for (const environment of [{ SVC_EDITOR: 'a', VISUAL: 'b' }, { VISUAL: 'b', EDITOR: 'c' }, { EDITOR: 'c' }, {}]) {
      const shell = of(environment);
      expect(await shell.run('edit', 'agent', 'helper')).toBe(exitCodes.refused);
      expect(shell.err()).toContain('cannot be started');
      expect(kept(shell.files)).toEqual([]);
    }
    expect(commands).toEqual(['a', 'b', 'c', 'vi']);
  });

  it('opens no editor that needs a terminal where there is none', async () => {
    const piped = fakeHost({ handlers: stored.handlers, piped: '' });
    expect(await piped.run('edit', 'agent', 'helper')).toBe(exitCodes.refused);
    expect(piped.err()).toContain('there is no terminal for an editor');
    expect(piped.calls).toEqual([]);
    const program = fakeHost({
      handlers: stored.handlers,
      piped: '',
      environment: { EDITOR: 'sed' },
      editor: () => '',
    });
    expect(await program.run('edit', 'agent', 'helper')).toBe(exitCodes.ok);
  });

  it('refuses what the system makes, and what is not there', async () => {
    expect(await editing().run('edit', 'worker', 'w')).toBe(exitCodes.refused);
    expect(await editing().run('edit', 'agent')).toBe(exitCodes.refused);
    expect(await editing().run('edit', 'agent', 'gone')).toBe(exitCodes.notFound);
    expect(await editing().run('edit', 'agent', 'a', 'b')).toBe(exitCodes.refused);
  });
});

const run = async (words: readonly string[], options: FakeOptions = {}) => {
  const shell = fakeHost({ handlers: stored.handlers, ...options });
  return { exit: await shell.run(...words), out: shell.out(), err: shell.err() };
};

describe('svc patch', () => {
  it('lays a merge patch over the manifest, from a flag, a file or a pipe', async () => {
    expect(await run(['patch', 'agent', 'helper', '-p', '{spec: {systemPrompt: a}}'])).toMatchObject({
      out: 'agent/helper patched\n',
    });
    const files = { '/work/p.json': { text: '{"metadata":{"labels":{"team":null}}}', mode: 0o600 } };
    await run(['patch', 'agent', 'helper', '--patch-file', 'p.json'], { files });
    await run(['patch', 'agent', 'helper', '--patch-file', '-', '--dry-run'], { piped: 'spec: {systemPrompt: c}' });
    expect(stored.requests.map(({ manifest, dryRun }) => [manifest?.metadata?.labels, dryRun])).toEqual([
      [{ team: 'red' }, false],
      [{}, false],
      [{ team: 'red' }, true],
    ]);
  });

  it('starts again when somebody was faster, but not for ever', async () => {
    const newer = () => {
      stored.version += 1;
    };
    stored.beforeWrite = [newer, newer];
    expect((await run(['patch', 'agent', 'helper', '-p', '{spec: {systemPrompt: a}}'])).exit).toBe(exitCodes.ok);
    stored.beforeWrite = Array.from({ length: 9 }, () => newer);
    const late = await run(['patch', 'agent', 'helper', '-p', '{spec: {systemPrompt: a}}']);
    expect([late.exit, late.err]).toEqual([exitCodes.refused, expect.stringContaining('CONFLICT')]);
    expect(stored.requests).toHaveLength(3 + 5);
  });

  it.each([
    [['-p', '{spec: {foo: 1}}'], 'spec.foo: unknown field'],
    [['-p', '{metadata: {name: other}}'], 'metadata.name: cannot change'],
    [['-p', '[1]'], 'must be a map'],
    [['-p', '{'], 'is not YAML or JSON'],
    [['--patch-file', 'none.yaml'], 'there is no file none.yaml'],
    [[], 'what is to be patched?'],
  ])('refuses %j', async (words, reason) => {
    const refused = await run(['patch', 'agent', 'helper', ...words]);
    expect([refused.exit, refused.err]).toEqual([exitCodes.refused, expect.stringContaining(reason)]);
    expect(stored.requests).toEqual([]);
  });

  it('refuses kinds that the system makes', async () => {
    expect((await run(['patch', 'session', 's', '-p', '{}'])).err).toContain('cannot be patched');
  });
});

describe('svc label and svc annotate', () => {
  it('set and remove keys and leave the others', async () => {
    expect(await run(['label', 'agent', 'helper', 'tier=gold', 'team-'])).toMatchObject({
      exit: exitCodes.ok,
      out: 'agent/helper labelled\n',
    });
    expect(await run(['annotate', 'agent', 'helper', 'note=a=b'])).toMatchObject({ out: 'agent/helper annotated\n' });
    expect(stored.written.map(({ metadata }) => [metadata?.labels, metadata?.annotations])).toEqual([
      [{ tier: 'gold' }, {}],
      [{ team: 'red' }, { note: 'a=b' }],
    ]);
  });

  it('replace another value only with --overwrite, and tell of keys that are not there', async () => {
    const taken = await run(['label', 'agent', 'helper', 'team=blue']);
    expect([taken.exit, taken.err]).toEqual([exitCodes.refused, expect.stringContaining('team is red')]);
    expect((await run(['label', 'agent', 'helper', 'team=blue', '--overwrite'])).exit).toBe(exitCodes.ok);
    expect(await run(['label', 'agent', 'helper', 'none-', 'team=red'])).toEqual({
      ...{ exit: exitCodes.ok, out: 'agent/helper unchanged\n', err: 'agent/helper has no none\n' },
    });
  });

  it('take several names, a selection or all', async () => {
    expect((await run(['label', 'agent', 'a', 'b', 'x=y'])).out).toBe('agent/a labelled\nagent/b labelled\n');
    expect((await run(['label', 'agents', '--all', 'x=y'])).out).toBe('agent/one labelled\nagent/two labelled\n');
    expect((await run(['label', 'agents', '-l', 'a=b', 'x-'])).out).toContain('agent/two');
    const partly = await run(['label', 'agent', 'a', 'gone', 'x=y']);
    expect([partly.exit, partly.err]).toEqual([exitCodes.partial, expect.stringContaining('gone:')]);
    expect((await run(['label', 'agent', 'gone', 'x=y'])).exit).toBe(exitCodes.notFound);
  });

  it.each([
    [['label', 'agent', 'helper'], 'which labels?'],
    [['label', 'agent', 'x=y'], 'which agent?'],
    [['label', 'agent', 'helper', 'x=y', '--all'], 'do not go together'],
    [['label', 'agent', 'helper', 'x=y', 'z'], 'z is neither key=value nor key-'],
    [['annotate', 'agent', 'helper', '=y'], '=y is neither key=value nor key-'],
  ])('refuse %j', async (words, reason) => {
    expect((await run(words)).err).toContain(reason);
  });
});
