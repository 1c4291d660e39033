import { describe, expect, it } from 'vitest';
import { decisionOf, isEnded, requestsOf, taskOfTurn } from './task-rules.ts';

const turn = (more: object) =>
  ({ id: 't', sessionId: 's', state: 'TURN_STATE_RUNNING', createdAt: '1000', startedAt: '2000', ...more }) as never;
const OPTIONS = [
  { id: 'yes', name: 'Yes', allow: true },
  { id: 'no', name: 'No', allow: false },
];
const request = (more: object) =>
  ({ id: 'r', prompt: 'May I?', kind: 'permission', options: OPTIONS, ...more }) as never;
const asked = (more: object) => taskOfTurn(turn({ pendingPermissions: [request(more)] }), '').questions[0];
const input = (schema: object) => ({ kind: 'input', schemaJson: JSON.stringify(schema) });
const FORM = { type: 'object', properties: { city: { type: 'string' } } };

describe('a turn as a task', () => {
  it.each([
    ['TURN_STATE_QUEUED', 'working'],
    ['TURN_STATE_WAITING', 'working'],
    ['TURN_STATE_COMPLETED', 'completed'],
    ['TURN_STATE_FAILED', 'failed'],
    ['TURN_STATE_STOPPED', 'cancelled'],
  ])('in %s is %s', (state, status) => {
    const task = taskOfTurn(turn({ state }), '');
    expect([task.status, isEnded(task)]).toEqual([status, !['working'].includes(status)]);
  });

  it('has its times, and what it came to', () => {
    const done = taskOfTurn(turn({ state: 'TURN_STATE_COMPLETED', finishedAt: '5000' }), 'hi');
    const structured = { session_id: 's', turn_id: 't', state: 'completed', reply: 'hi' };
    expect(done).toMatchObject({ createdAtMs: 1, updatedAtMs: 5, result: { text: 'hi', structured, isError: false } });
    const failed = { state: 'TURN_STATE_FAILED', error: 'no key' };
    expect(taskOfTurn(turn(failed), '')).toMatchObject({
      message: 'no key',
      result: { text: 'no key', isError: true },
    });
    expect(taskOfTurn(turn({ ...failed, error: '' }), '').result?.text).toBe('the turn failed');
    expect(taskOfTurn({}, '')).toMatchObject({ id: '', createdAtMs: 0, updatedAtMs: 0, status: 'working' });
    expect(taskOfTurn(turn({ state: 'TURN_STATE_STOPPED' }), '').result).toBeUndefined();
  });

  it('waits for what people are asked, in forms that clients can show', () => {
    const task = taskOfTurn(turn({ state: 'TURN_STATE_WAITING', pendingPermissions: [request({}), 7] }), '');
    expect([task.status, task.message, requestsOf(turn({})).length]).toEqual(['input_required', 'May I?', 0]);
    const oneOf = OPTIONS.map(({ id, name }) => ({ const: id, title: name }));
    expect(asked({})?.schema).toMatchObject({ properties: { option: { oneOf } }, required: ['option'] });
    const signIn = asked({ kind: 'sign_in', url: 'https://x.example' });
    expect(signIn?.message).toBe('May I? https://x.example');
    expect(signIn?.schema).toMatchObject({ properties: { option: { oneOf: [{ const: 'no' }] } } });
    expect(asked(input(FORM))?.schema).toEqual(FORM);
    for (const schema of [{ type: 'object', properties: { a: { type: 'array' } } }, { type: 'string' }, {}, []])
      expect(asked(input(schema))?.schema).toMatchObject({ required: ['answer'] });
    expect(asked({ kind: 'input' })?.schema).toMatchObject({ required: ['answer'] });
  });
});

describe('what a reply decides', () => {
  const yes = (content: object) => ({ isAccepted: true, content: content as Record<string, unknown> });
  const allow = 'PERMISSION_DECISION_ALLOW';
  const deny = 'PERMISSION_DECISION_DENY';

  it.each([
    [request({}), { isAccepted: false, content: {} }, { decision: deny }],
    [request({}), yes({ option: 'yes' }), { decision: allow, optionId: 'yes' }],
    [request({}), yes({ option: 'no' }), { decision: deny, optionId: 'no' }],
    [request({}), yes({ option: 'perhaps' }), undefined],
    [request({ kind: 'sign_in' }), yes({ option: 'yes' }), undefined],
    [request(input(FORM)), yes({ city: 'Oslo' }), { decision: allow, answerJson: '{"city":"Oslo"}' }],
    [request(input({ type: 'array' })), yes({ answer: '[1]' }), { decision: allow, answerJson: '[1]' }],
    [request(input({ type: 'string' })), yes({ answer: 'a, b' }), { decision: allow, answerJson: '"a, b"' }],
    [request(input({ type: 'string' })), yes({ answer: 3 }), { decision: allow, answerJson: '3' }],
    [request(input({ type: 'string' })), yes({}), { decision: allow, answerJson: 'null' }],
  ])('of %j with %j is %j', (given, reply, decision) => {
    expect(decisionOf(given, reply)).toEqual(decision);
  });
});
