import { ProtocolError } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { failureOf } from './failures.ts';

it.each([
  [-32_602, 'malformed', 'the server refused the arguments, or its answer does not match the schema of the tool'],
  [-32_603, 'rejected', 'the server answered with an error'],
])('the error %i of a server is %s, without what the server wrote', (code, kind, message) => {
  expect(failureOf(new ProtocolError(code, 'token=secret'))).toMatchObject({ kind, message });
});
