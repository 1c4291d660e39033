import { describe, expect, it } from 'vitest';
import { parseRegistrationId, registrationIdOf } from '../registration-id.ts';
import { failedAttempt, judgeAnswer } from './registration-rules.ts';

describe('the id of a registration', () => {
  it('names the class, percent-encoded, and is read back also with a plain colon', () => {
    const names = { namespace: 'acme:eu', name: 'chat' };
    expect(registrationIdOf(names)).toBe('Namespace/acme%3Aeu/ConnectorClass/chat');
    for (const id of [registrationIdOf(names), 'Namespace/acme:eu/ConnectorClass/chat'])
      expect(parseRegistrationId(id)).toEqual(names);
  });

  it.each([
    '',
    'chat',
    'Namespace/a/ConnectorClass',
    'Namespace//ConnectorClass/chat',
    'Namespace/a/Class/chat',
    'namespace/a/ConnectorClass/chat',
    'Namespace/a/ConnectorClass/chat/more',
    'Namespace/%/ConnectorClass/chat',
  ])('is not %j', (id) => {
    expect(parseRegistrationId(id)).toBeUndefined();
  });
});

describe('an answer to a registration', () => {
  const judge = (status: number, body = ''): unknown => {
    const outcome = judgeAnswer('Namespace/a/ConnectorClass/chat', status, body);
    return outcome.isRegistered ? 'registered' : [outcome.reason, outcome.isCertain];
  };

  it.each([
    [200, ''],
    [204, 'no JSON'],
    [201, '{"registrationId": "Namespace/a/ConnectorClass/chat"}'],
    [200, '{"registration_id": " "}'],
    [200, '{"registrationId": 5}'],
  ])('registers with %d %j', (status, body) => {
    expect(judge(status, body)).toBe('registered');
  });

  it('fails otherwise; only behind a 5xx the service may have taken the secret', () => {
    expect(judge(200, '{"registration_id": "other"}')).toEqual(['EchoMismatch', true]);
    expect(judge(199)).toEqual(['RegistrationRefused', true]);
    expect(judge(302)).toEqual(['RegistrationRefused', true]);
    expect(judge(403)).toEqual(['RegistrationRefused', true]);
    expect(judge(503)).toEqual(['RegistrationRefused', false]);
  });

  it('has at most 500 characters', () => {
    expect(failedAttempt('Timeout', 'x'.repeat(600), false).message).toHaveLength(500);
  });
});
