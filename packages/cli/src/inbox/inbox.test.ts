import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { interrupt } from '../host.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { type FakeOptions, fakeHost, ScriptedTerminal } from '../testing/fake-host.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'City', description: 'where you are' },
    nights: { type: 'integer' },
    breakfast: { type: 'boolean' },
    room: { enum: ['small', 'large'] },
  },
  required: ['city', 'nights'],
};
const place = { ns: 'acme', agent: 'helper', sessionId: 's1', createdAt: '0', expiresAt: '600000000' };
const input = { ...place, id: '01aa', kind: 'input', prompt: 'Which\ncity?', schemaJson: JSON.stringify(SCHEMA) };
const permission = {
  ...place,
  id: '01ab',
  kind: 'permission',
  prompt: 'Allow helper to run wipe?',
  inputJson: '{"path":"/everything"}',
  options: [
    { id: 'allow_once', name: 'Allow once', decision: 1 },
    { id: 'deny_once', name: 'Deny', decision: 2 },
  ],
};
const signIn = {
  ...place,
  id: '02aa',
  kind: 'sign_in',
  prompt: 'Sign in to the tracker',
  url: 'https://tracker.test/login',
  options: [
    { id: 'signed_in', name: 'Signed in', decision: 1 },
    { id: 'decline', name: 'Decline', decision: 2 },
  ],
};

/** A server on which these requests are open; what it was asked and answered. */
const inbox = async (
  lines: readonly (string | undefined | typeof interrupt)[],
  words: readonly string[],
  more: FakeOptions = {},
) => {
  const answers: unknown[] = [];
  const lists: unknown[] = [];
  const handlers: FakeHandlers = {
    unary: {
      ListPermissionRequests: (request: { ns: string; recursive: boolean; kind: string; agent: string }) => {
        const { ns, recursive, kind, agent } = request;
        lists.push({ ns, recursive, kind, agent });
        return { requests: ns === 'empty' ? [] : [input, permission, signIn] };
      },
      AnswerPermission: (request: { requestId: string; decision: number; optionId: string; answerJson: string }) => {
        answers.push([request.requestId, request.decision, request.optionId, request.answerJson]);
        return { request: {} };
      },
      CreateAnswerLink: () => ({ url: 'https://svc.test/r/secret', expiresAt: '600000000' }),
      ...more.handlers?.unary,
    },
  };
  const terminal = new ScriptedTerminal(lines);
  const fake = fakeHost({ isTerminal: true, terminal, ...more, handlers });
  const exit = await fake.run('inbox', ...words);
  return { ...fake, exit, answers, lists, terminal };
};

describe('svc inbox', () => {
  it('lists what is open in one line each, and hands filters on', async () => {
    const { out, lists } = await inbox([], ['-A', '--kind', 'input', '--agent', 'helper']);
    expect(lists[0]).toEqual({ ns: '-', recursive: false, kind: 'input', agent: 'helper' });
    expect(out()).toContain('Which city?');
    expect(out().trim().split('\n')).toHaveLength(4);
  });

  it('says where nothing is open, and is silent with --quiet', async () => {
    expect((await inbox([], ['-n', 'empty'])).err()).toBe('no agent waits for an answer in namespace empty\n');
    expect((await inbox([], ['-n', 'empty', '--quiet'])).err()).toBe('');
    expect((await inbox([], ['--quiet'])).err()).toBe('');
  });

  it('prints names that its other commands take', async () => {
    expect((await inbox([], ['-o', 'name'])).out()).toBe('request/01aa\nrequest/01ab\nrequest/02aa\n');
    expect((await inbox([], ['answer', 'request/01ab', '--deny'])).answers).toEqual([['01ab', 2, '', '']]);
  });

  it('searches the own namespace where the caller may not read all', async () => {
    const asked: string[] = [];
    const ListPermissionRequests = ({ ns }: { ns: string }) => {
      asked.push(ns);
      if (ns === '-') throw new FakeFault('PERMISSION_DENIED', 'SCOPE');
      return { requests: [permission] };
    };
    const { answers } = await inbox([], ['answer', '01ab', '--deny'], {
      handlers: { unary: { ListPermissionRequests } },
    });
    expect([asked, answers]).toEqual([['-', 'default'], [['01ab', 2, '', '']]]);
  });

  it('finds a request behind any number of others', async () => {
    const ListPermissionRequests = ({ pageToken, pageSize }: { pageToken: string; pageSize: number }) => {
      const first = Number(pageToken || 0);
      const numbers = Array.from({ length: Math.min(pageSize, 700 - first) }, (_, index) => first + index);
      const requests = numbers.map((number) => ({ ...permission, id: `x${number}y` }));
      return { requests, nextPageToken: first + numbers.length < 700 ? String(first + numbers.length) : '' };
    };
    const handlers = { unary: { ListPermissionRequests } };
    expect((await inbox([], ['answer', 'x699y', '--deny'], { handlers })).answers).toEqual([['x699y', 2, '', '']]);
  });

  it('refuses a kind that there is not', async () => {
    const { exit, err, lists } = await inbox([], ['--kind', 'wish']);
    expect([exit, lists]).toEqual([exitCodes.refused, []]);
    expect(err()).toContain('permission, input, sign_in, budget');
  });

  it('asks for data property by property until each reads as what it must be', async () => {
    const lines = ['', 'Rome', 'many', '3', 'maybe', 'yes', 'huge', 'large'];
    const { answers, out, terminal } = await inbox(lines, ['answer', '01aa']);
    expect(answers).toEqual([['01aa', 1, '', '{"city":"Rome","nights":3,"breakfast":true,"room":"large"}']]);
    expect(terminal.prompts[0]).toBe('City: ');
    expect(terminal.prompts.at(-1)).toBe('room (small/large, empty to leave out): ');
    expect(out()).toContain('please write one of small, large');
    expect(terminal.isClosed).toBe(true);
  });

  it('leaves out what may be left out', async () => {
    const { answers } = await inbox(['Rome', '2', '', ''], ['answer', '01aa']);
    expect(answers).toEqual([['01aa', 1, '', '{"city":"Rome","nights":2}']]);
  });

  it('sends nothing when the person interrupts', async () => {
    const { answers, exit } = await inbox(['Rome', interrupt], ['answer', '01aa']);
    expect([answers, exit]).toEqual([[], exitCodes.interrupted]);
  });

  it('takes an answer from its options without asking', async () => {
    expect((await inbox([], ['answer', '01ab', '--deny'])).answers).toEqual([['01ab', 2, '', '']]);
    expect((await inbox([], ['answer', '01ab', '--option', 'allow_once'])).answers).toEqual([
      ['01ab', 1, 'allow_once', ''],
    ]);
    expect((await inbox([], ['answer', '01aa', '--data', ' {"city": "Rome"} '])).answers).toEqual([
      ['01aa', 1, '', '{"city":"Rome"}'],
    ]);
  });

  it.each([
    [['answer', '01ab', '--allow', '--deny'], 'contradict'],
    [['answer', '01ab', '--deny', '--option', 'allow_once'], '--deny and --option allow_once contradict'],
    [['answer', '01ab', '--allow', '--option', 'deny_once'], '--allow and --option deny_once contradict'],
    [['answer', '01ab', '--option', 'perhaps'], 'allow_once, deny_once'],
    [['answer', '01aa', '--data', 'Rome'], 'text needs quotes'],
    [['answer', '99'], 'no open request 99'],
    [['answer', '', '--allow'], 'the id of the request is empty'],
    [['answer', 'request/', '--allow'], 'the id of the request is empty'],
    [['answer', '01'], 'fits 2 requests'],
  ])('refuses %j and says why', async (words, reason) => {
    const { answers, err, exit } = await inbox([], words);
    expect(answers).toEqual([]);
    expect(exit).not.toBe(0);
    expect(err()).toContain(reason);
  });

  it('offers the options of a permission, and only to decline a sign-in, whose address it shows', async () => {
    const asked = await inbox(['5', '1'], ['answer', '01ab']);
    expect(asked.answers).toEqual([['01ab', 1, 'allow_once', '']]);
    expect(asked.out()).toContain('please answer a number from 1 to 2');
    expect(asked.out()).toContain('Allow helper to run wipe?\n{"path":"/everything"}\n');
    const signed = await inbox(['1'], ['answer', '02']);
    expect(signed.answers).toEqual([['02aa', 2, 'decline', '']]);
    expect(signed.out()).toContain('sign in at https://tracker.test/login');
    expect(signed.out()).not.toContain('Signed in');
  });

  it('does not wait for a person where there is none', async () => {
    const { err, exit } = await inbox([], ['answer', '01aa'], { piped: '' });
    expect(exit).toBe(exitCodes.refused);
    expect(err()).toContain('--allow, --deny, --option or --data');
  });

  it('asks for the data that --allow leaves open', async () => {
    const { answers } = await inbox(['Rome', '2', '', ''], ['answer', '01aa', '--allow']);
    expect(answers).toEqual([['01aa', 1, '', '{"city":"Rome","nights":2}']]);
    const { err } = await inbox([], ['answer', '01aa', '--allow'], { piped: '' });
    expect(err()).toContain('--data, which the request asks for');
  });

  it('prints a link alone on standard output, and says what to do where links are off', async () => {
    const { out, err } = await inbox([], ['link', '01aa']);
    expect(out()).toBe('https://svc.test/r/secret\n');
    expect(err()).toContain('not shown again');
    const off = new FakeFault('FAILED_PRECONDITION', 'ANSWER_LINKS_OFF', { message: 'set requests.links to true' });
    const refused = await inbox([], ['link', '01aa'], {
      handlers: {
        unary: {
          CreateAnswerLink: () => {
            throw off;
          },
        },
      },
    });
    expect(refused.exit).toBe(exitCodes.refused);
    expect(refused.err()).toContain('requests.links');
  });
});
