import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { PermissionDecision, PermissionRequestSchema } from '@svc/api/data';
import { SvcError } from '@svc/client';
import { describe, expect, it } from 'vitest';
import { interrupt } from '../host.ts';
import { askPermission, openRequests, type QuestionParts } from './permission-question.ts';

const OPTIONS = [
  { id: 'once', name: 'Allow once', decision: PermissionDecision.ALLOW },
  { id: 'always', name: 'Allow \u001b[31malways', decision: PermissionDecision.ALLOW },
  { id: 'no', name: 'Deny', decision: PermissionDecision.DENY },
];
const CLOSED = new SvcError({ code: 'FAILED_PRECONDITION', reason: 'PERMISSION_CLOSED', message: 'closed' });

/** A person who types these lines, and a server that refuses the first answers with these errors. */
const world = (lines: readonly (string | undefined | typeof interrupt)[], refusals: readonly Error[] = []) => {
  const typed = [...lines];
  const errors = [...refusals];
  const answers: unknown[] = [];
  const asked: string[] = [];
  let written = '';
  /** Ids of the requests that the server shows as open, one list for each time it is asked. */
  const open: string[][] = [];
  const parts = {
    terminal: {
      ask: async (prompt: string) => {
        asked.push(prompt);
        return typed.shift();
      },
    },
    write: (text: string) => {
      written += text;
    },
    style: { dim: (text: string) => `<${text}>` },
    columns: 40,
    session: {
      key: { ns: 'default', agent: 'helper', sessionId: 's1' },
      answerPermission: async (id: string, answer: object) => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        answers.push({ id, ...answer });
      },
    },
    client: {
      sessionControl: {
        getTurn: async ({ turnId }: { readonly turnId: string }) =>
          turnId === 'gone' ? {} : { turn: { pendingPermissions: (open.shift() ?? []).map((id) => ({ id })) } },
      },
    },
  } as unknown as QuestionParts;
  const ask = (request: MessageInitShape<typeof PermissionRequestSchema>) =>
    askPermission(parts, create(PermissionRequestSchema, { id: 'r1', turnId: 't1', options: OPTIONS, ...request }));
  return { parts, ask, answers, asked, open, written: () => written };
};

describe('a question for permission', () => {
  it.each([
    ['y', { allow: true, optionId: 'once' }],
    [' YES ', { allow: true, optionId: 'once' }],
    ['2', { allow: true, optionId: 'always' }],
    ['n', { allow: false, optionId: 'no' }],
    ['No', { allow: false, optionId: 'no' }],
    ['3', { allow: false, optionId: 'no' }],
  ])('takes %j for an answer', async (line, answer) => {
    const { ask, answers, asked, written } = world([line]);
    expect([await ask({}), answers]).toEqual([true, [{ id: 'r1', ...answer }]]);
    expect(asked).toEqual(['allow? (y/n/1/2/3) ']);
    expect(written()).toBe('  [1] Allow once\n  [2] Allow ^[[31malways\n  [3] Deny\n');
  });

  it('is asked again until the answer is one', async () => {
    const { ask, answers, asked, written } = world(['', '4', '0', 'maybe', '1x', '1']);
    expect([await ask({}), asked.length]).toEqual([true, 6]);
    expect(answers).toEqual([{ id: 'r1', allow: true, optionId: 'once' }]);
    expect(written().split('please answer y/n/1/2/3\n').length).toBe(6);
  });

  it('is left open at Ctrl-C and at the end of input', async () => {
    const [interrupted, ended] = [world([interrupt]), world([undefined])];
    expect([await interrupted.ask({}), await ended.ask({})]).toEqual([false, false]);
    expect([interrupted.answers, ended.answers]).toEqual([[], []]);
  });

  it('shows the input of the tool only where the line of its call had no room, and cuts it', async () => {
    const short = world(['y']);
    await short.ask({ inputJson: 'x'.repeat(20), options: OPTIONS.slice(0, 1) });
    expect(short.written()).toBe('  [1] Allow once\n');
    const long = world(['y']);
    await long.ask({ inputJson: 'x'.repeat(3_000), options: OPTIONS.slice(0, 1) });
    expect(long.written()).toBe(`<${'x'.repeat(2_000)}>\n  [1] Allow once\n`);
  });

  it('says when someone else was faster, and tells other errors', async () => {
    const closed = world(['y'], [CLOSED]);
    expect(await closed.ask({ options: [] })).toBe(false);
    const faster = world(['y'], [CLOSED]);
    expect(await faster.ask({})).toBe(true);
    expect(faster.written()).toContain('this was decided elsewhere meanwhile\n');
    const denied = new SvcError({ code: 'PERMISSION_DENIED', reason: 'ACCESS_DENIED', message: 'no' });
    await expect(world(['y'], [denied]).ask({})).rejects.toBe(denied);
    const broken = new Error('broken');
    await expect(world(['y'], [broken]).ask({})).rejects.toBe(broken);
  });
});

describe('a question that a sign-in answers', () => {
  const SIGN_IN = { kind: 'sign_in', url: 'https://a.test/\u0007login' };

  it('waits until the server has seen it', async () => {
    const { ask, open, answers, written } = world(['', '']);
    open.push(['r1', 'r2'], ['r2']);
    expect([await ask(SIGN_IN), answers]).toEqual([true, []]);
    expect(written()).toBe('sign in at https://a.test/^Glogin\nthe server has not seen the sign-in yet\n');
  });

  it.each(['n', ' NO'])('is declined by %j', async (line) => {
    const { ask, answers } = world([line]);
    expect([await ask(SIGN_IN), answers]).toEqual([true, [{ id: 'r1', allow: false, optionId: 'no' }]]);
  });

  it('cannot be declined where that is no choice', async () => {
    const { ask, open, answers } = world(['n', interrupt]);
    open.push(['r1']);
    expect([await ask({ ...SIGN_IN, options: OPTIONS.slice(0, 1) }), answers]).toEqual([false, []]);
  });

  it('is left open at the end of input', async () => {
    expect(await world([undefined]).ask(SIGN_IN)).toBe(false);
  });
});

describe('a question for data', () => {
  const INPUT = { kind: 'input', prompt: 'Which city?', schemaJson: '{"type":"string","title":"City"}' };
  const invalid = new SvcError({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', message: 'no such city' });

  it('sends what was typed, and asks again when the server does not take it', async () => {
    const { ask, answers, written } = world(['Ulum', 'Ulm'], [invalid]);
    expect(await ask(INPUT)).toBe(true);
    expect(answers).toEqual([{ id: 'r1', allow: true, data: 'Ulm' }]);
    expect(written()).toMatch(/^Which city\?\n/);
    expect(written()).toContain('no such city\n');
  });

  it('is over when it was decided elsewhere, and left open by an interruption', async () => {
    const closed = world(['Ulm'], [CLOSED]);
    expect(await closed.ask(INPUT)).toBe(true);
    expect(closed.written()).toContain('this was decided elsewhere meanwhile\n');
    expect(await world([interrupt]).ask(INPUT)).toBe(false);
  });

  it('tells other errors', async () => {
    const denied = new SvcError({ code: 'PERMISSION_DENIED', reason: 'ACCESS_DENIED', message: 'no' });
    await expect(world(['Ulm'], [denied]).ask(INPUT)).rejects.toBe(denied);
    const broken = new Error('broken');
    await expect(world(['Ulm'], [broken]).ask(INPUT)).rejects.toBe(broken);
  });
});

describe('open requests of a turn', () => {
  it('are those that the server names, and none of a turn that is gone', async () => {
    const { parts, open } = world([]);
    open.push(['r1']);
    expect(await openRequests(parts, 't1')).toEqual([{ id: 'r1' }]);
    expect(await openRequests(parts, 'gone')).toEqual([]);
  });
});
