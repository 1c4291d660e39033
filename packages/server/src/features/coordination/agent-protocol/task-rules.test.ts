import { describe, expect, it } from 'vitest';
import { PART, type Part, type PermissionData } from '../../../runtime/contract.ts';
import { askedParts, decisionOf, replyParts, taskState } from './task-rules.ts';

const asked = (more: Partial<PermissionData> = {}): PermissionData => ({
  ...{ id: 'r', namespace: 'n', agent: 'a', sessionId: 's', turnId: 't', toolCallId: 'c', action: 'put' },
  ...{ prompt: 'May I?', input: undefined, createdAt: 1, expiresAt: 2, decision: 'PENDING', optionId: '' },
  ...{ decidedBy: '', decidedAt: 0, comment: '' },
  options: [
    { id: 'allow_once', name: 'Allow once', allow: true, remember: false },
    { id: 'deny', name: 'Deny', allow: false, remember: false },
  ],
  ...more,
});
const text = (value: string) => [{ kind: 'text', text: value }] as const;

describe('a turn as a task', () => {
  it('has the state that its turn is in', () => {
    const states = (['QUEUED', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'STOPPED'] as const).map((state) =>
      taskState({ state, attempt: 0 }, undefined),
    );
    expect(states).toEqual(['submitted', 'working', 'working', 'completed', 'failed', 'canceled']);
    expect(taskState({ state: 'QUEUED', attempt: 1 }, undefined)).toBe('working');
  });

  it('waits for its peer while it asks a person something, until it is over', () => {
    for (const kind of ['permission', 'input', 'budget'] as const)
      expect(taskState({ state: 'WAITING', attempt: 1 }, asked({ kind }))).toBe('input-required');
    expect(taskState({ state: 'RUNNING', attempt: 1 }, asked({ kind: 'sign_in' }))).toBe('auth-required');
    expect(taskState({ state: 'STOPPED', attempt: 1 }, asked())).toBe('canceled');
  });

  it('shows the question with its options, schema and address', () => {
    const schema = { type: 'string' };
    const [, data] = askedParts(asked({ kind: 'sign_in', schema, url: 'https://login.example', input: { n: 1 } }));
    expect(data).toMatchObject({ value: { kind: 'sign_in', schema, url: 'https://login.example', input: { n: 1 } } });
    const [shown, plain] = askedParts(asked());
    expect(shown).toEqual({ kind: 'text', text: 'May I?' });
    expect(plain).toMatchObject({ value: { request_id: 'r', kind: 'permission', input: null } });
  });

  it('replies with what follows its last tool', () => {
    const part = (type: Part['type'], content: string): Part => ({ id: content, type, content, createdAt: 1 });
    const parts = [part(PART.TEXT, 'draft'), part(PART.TOOL_CALL, 'call'), part(PART.TEXT, 'reply')];
    expect(replyParts(parts).map(({ content }) => content)).toEqual(['reply']);
  });
});

describe('a message of a peer to a task that asks', () => {
  it('chooses an option by its id or name, or says yes or no', () => {
    expect(decisionOf(asked(), text(' Allow_Once '))).toEqual({ requestId: 'r', allow: true, optionId: 'allow_once' });
    expect(decisionOf(asked(), text('deny'))).toEqual({ requestId: 'r', allow: false, optionId: 'deny' });
    expect(decisionOf(asked(), text('yes'))).toEqual({ requestId: 'r', allow: true, optionId: '' });
    expect(decisionOf(asked(), [{ kind: 'data', value: { option_id: 'allow_once' } }])?.allow).toBe(true);
    expect(decisionOf(asked(), [{ kind: 'data', value: { decision: 'deny' } }])?.allow).toBe(false);
    expect(decisionOf(asked(), [{ kind: 'data', value: [] }])).toBeUndefined();
    expect(decisionOf(asked(), text('perhaps'))).toBeUndefined();
  });

  it('gives data as data, as JSON or as text, or declines', () => {
    const input = asked({ kind: 'input' });
    expect(decisionOf(input, [{ kind: 'data', value: { n: 1 } }])?.value).toEqual({ n: 1 });
    expect(decisionOf(input, text('{"n":2}'))?.value).toEqual({ n: 2 });
    expect(decisionOf(input, text('blue'))?.value).toBe('blue');
    expect(decisionOf(asked({ kind: 'input', schema: { type: 'string' } }), text('17'))?.value).toBe('17');
    expect(decisionOf(input, text('Decline'))).toMatchObject({ allow: false });
    expect(decisionOf(input, [])).toBeUndefined();
  });
});
