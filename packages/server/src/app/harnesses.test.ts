import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { beforeAll, describe, expect, it } from 'vitest';
import { canJail } from '../sandbox/testing/local-jail.ts';
import { AppUnderTest, EventReader, shapeOf } from './testing/index.ts';

const WAIT = { waitSeconds: 30 };
const ALLOW = { permissionPolicy: { default: 'allow' } };

/** Processes of harnesses that this process started, itself left out. */
const harnessProcesses = (): readonly string[] => {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const all = rows.map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []);
  const mine = new Set([String(process.pid)]);
  for (let before = 0; before !== mine.size; ) {
    before = mine.size;
    for (const [, pid = '', parent = ''] of all) if (mine.has(parent)) mine.add(pid);
  }
  return all
    .filter(([, pid = '', , args = '']) => mine.has(pid) && args.includes('svc-demo-agent'))
    .map(([row]) => row ?? '');
};

describe.skipIf(!(await canJail()))('an external agent in a jail', () => {
  const app = AppUnderTest.ofSuite({
    'acp.harnesses': JSON.stringify({ broken: { command: 'no-such-command' } }),
  });
  const { rest } = app;

  const apply = (...documents: readonly object[]): Promise<unknown> =>
    rest.ok('POST /v1/manifests:apply', {
      ns: 'default',
      text: documents.map((document) => JSON.stringify(document)).join('\n---\n'),
    });
  const agent = (name: string, acp: object, spec: object = {}): object => ({
    kind: 'Agent',
    metadata: { name },
    spec: { ...spec, runtime: { kind: 'acp', acp: { harnessRef: 'demo', ...acp } } },
  });

  beforeAll(async () => {
    await apply(
      { kind: 'SandboxClass', metadata: { name: 'jail' }, spec: { provider: 'local' } },
      {
        kind: 'SandboxPolicy',
        metadata: { name: 'default' },
        spec: { classRef: { name: 'jail' }, template: { spec: { network: { mode: 'none' } } } },
      },
      agent('worker', { ...ALLOW, persistSession: true, env: { COLOUR: 'red' } }, { systemPrompt: 'Be brief.' }),
      agent('careful', {}),
      agent('forbidden', { permissionPolicy: { default: 'deny' } }),
      agent('broken', { harnessRef: 'broken' }),
      agent('outside', { cwd: '/etc' }),
      agent('misnamed', { env: { 'A=B': 'x' } }),
      agent('homeless', { sandboxPolicyRef: 'missing' }),
    );
  });

  /** A session with its stream. */
  const open = async (name: string) => {
    const session = await rest.session(name);
    return { session, events: await EventReader.open(rest, `${session}/stream`) };
  };
  const failure = async (name: string, text: string): Promise<unknown> => {
    const { session, events } = await open(name);
    await rest.send(session, text);
    const end = await events.until(({ kind }) => kind.endsWith('_ERROR'));
    events.close();
    return JSON.parse(end.part?.payloadJson ?? '{}');
  };

  const statusOf = async (session: string): Promise<Readonly<Record<string, string>>> =>
    (await rest.ok<{ session: { status: Readonly<Record<string, string>> } }>(`GET ${session}`)).session.status;

  it('answers turns with text, calls and their results, and works in the sandbox of the session (R61)', async () => {
    const { session, events } = await open('worker');
    const text = '!env COLOUR\n!write notes.txt hello\n!run cat notes.txt; echo; ls /proc/[0-9]*/comm | wc -l';
    const sent = await rest.send(session, text, WAIT);
    expect(sent.turnState).toBe('TURN_STATE_COMPLETED');
    expect(sent.reply).toMatch(/^run_command -> hello\n\d+ \(exit 0\)$/m);
    await events.ends();
    events.close();
    const calls = ['TOOL_CALL', 'TOOL_RESULT', 'TEXT'];
    expect(shapeOf(events.events)).toEqual(['TEXT', ...calls, ...calls, 'USAGE', 'DONE completed']);
    expect(events.events[0]?.part?.content).toBe('COLOUR=red\n');
    expect(harnessProcesses()).toEqual([]);
    const again = await rest.send(session, '!recall\n!read notes.txt', WAIT);
    expect(again.reply).toBe('read_file -> hello\n');
    expect(await statusOf(session)).toMatchObject({
      acpSessionId: expect.stringMatching(/.+/),
      sandboxRef: expect.stringMatching(/.+/),
    });
  });

  it('calls tools of its agent without a network, by the same rules as a model', async () => {
    const { session, events } = await open('worker');
    await rest.send(session, '!tool calculate {"expression":"6*7"}\n!tool calculate {}', WAIT);
    await events.ends();
    events.close();
    const results = events.events.filter(({ part }) => part?.partType.endsWith('TOOL_RESULT') === true);
    expect(results.map(({ part }) => part?.content)).toEqual(['42', expect.stringContaining('invalid_arguments')]);
    // What the harness announced and what ran are one call.
    expect(shapeOf(events.events).filter((shape) => shape.startsWith('TOOL_'))).toEqual([
      ...['TOOL_CALL', 'TOOL_RESULT'],
      ...['TOOL_CALL', 'TOOL_RESULT'],
    ]);
  });

  it('continues its own session with the next turn, and begins a new one when that is unknown (12.72)', async () => {
    const session = await rest.session('worker');
    await rest.send(session, 'first', WAIT);
    expect((await rest.send(session, '!recall', WAIT)).reply).toContain('first');
    await rest.send(session, '!run rm -r /workspace/.svc-demo-agent', WAIT);
    expect((await rest.send(session, '!recall', WAIT)).reply).toContain('remembers: \n');
  });

  it('waits for a person, who allows or denies (12.71)', async () => {
    const { session, events } = await open('careful');
    for (const [decision, result] of [
      ['ALLOW', 'written'],
      ['DENY', 'rejected'],
    ] as const) {
      const { turnId } = await rest.send(session, '!write a.txt x');
      const asked = await events.until(
        (event) => event.turnId === turnId && event.part?.partType.endsWith('REQUEST_PERMISSION') === true,
      );
      const { request_id: id } = JSON.parse(asked.part?.payloadJson ?? '{}') as { readonly request_id: string };
      await rest.ok(`POST ${session}/permissions/${id}`, { decision });
      const done = await events.until(
        (event) => event.turnId === turnId && event.part?.partType.endsWith('TOOL_RESULT') === true,
      );
      expect(done.part?.content).toBe(result);
      await events.until((event) => event.turnId === turnId && event.kind.endsWith('_DONE'));
    }
    events.close();
  });

  it('is told no by a policy that denies, for its questions and for its requests', async () => {
    const session = await rest.session('forbidden');
    const { reply } = await rest.send(session, '!write a.txt x\n!read /etc/passwd', WAIT);
    expect(reply).toBe('read_file -> read is not allowed\n');
  });

  it('is stopped with all of its processes, also while it waits for a person (12.71, R61)', async () => {
    for (const [name, text] of [
      ['worker', '!think so\n!run sleep 1000 & sleep 1000\n!hold'],
      ['careful', '!think so\n!ask execute deploy'],
    ] as const) {
      const { session, events } = await open(name);
      await rest.send(session, text);
      await events.until(
        (event) => event.part?.partType.endsWith(name === 'careful' ? 'REQUEST_PERMISSION' : 'TOOL_CALL') === true,
      );
      await rest.ok(`POST ${session}:stop`, {});
      expect((await events.until((event) => event.kind.endsWith('_DONE'))).reason).toBe('stopped');
      events.close();
      expect(harnessProcesses()).toEqual([]);
    }
  });

  it('that dies fails its turn once it did something, and is tried once more before (K26, 12.72)', async () => {
    expect(await failure('worker', '!exit 3')).toMatchObject({ reason: 'harness_lost' });
    expect(await failure('worker', '!run true\n!exit 3')).toMatchObject({ reason: 'harness_lost' });
  });

  it('that cannot be started says why', async () => {
    expect(await failure('broken', 'hi')).toMatchObject({ reason: 'agent_not_ready' });
    expect(await failure('outside', 'hi')).toMatchObject({ reason: 'agent_not_ready' });
    expect(await failure('misnamed', 'hi')).toMatchObject({ reason: 'agent_not_ready' });
  });

  it('without its sandbox policy is Degraded and takes no messages', async () => {
    const session = await rest.session('homeless');
    expect(await rest.outcome(`POST ${session}/message`, { message: 'hi' })).toBe('400 AGENT_NOT_READY');
  });

  it('says that the workspace was reset when its sandbox was lost (K27, 12.72)', async () => {
    const session = await rest.session('worker');
    await rest.send(session, '!write a.txt x', WAIT);
    await app.loseSandboxes();
    const { reply } = await rest.send(session, 'go on', WAIT);
    expect(reply).toContain('the workspace was reset');
  });
});
