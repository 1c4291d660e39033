import { methods } from '@svc/api/methods';
import { describe, expect, it } from 'vitest';
import { accessFacts } from '../auth/testing/access-facts.ts';
import { operationName } from '../operations/index.ts';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();

const declaredNames = (): readonly string[] => app.operations.map(({ method }) => operationName(method));

describe('the table of operations', () => {
  it('has a row for every operation of the descriptors and no other', () => {
    const operations = methods.map((method) => `${method.service}/${method.name}`);
    expect([...declaredNames()].sort()).toEqual(operations.sort());
  });

  it('asks for the role and the target that each operation was given', () => {
    expect(accessFacts.size).toBe(125);
    const declared = app.operations.map(({ method, access }) => [operationName(method), access] as const);
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(accessFacts));
  });

  it('honours idempotency keys where a second run would have a second effect that is no replacement', () => {
    const repeatable = app.operations.filter((operation) => operation.repeatable).map(({ method }) => method.name);
    expect(repeatable.sort()).toEqual([
      'AppendSessionMessage',
      'CreateRun',
      'CreateSession',
      'PostChannelMessage',
      'SendMessage',
      'TryTool',
    ]);
  });
});
