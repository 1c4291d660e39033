import { expect, it } from 'vitest';
import { takesArguments } from './tool-schema.ts';

it('knows which tools take no argument', () => {
  expect(takesArguments('{"type":"object","properties":{},"additionalProperties":false}')).toBe(false);
  expect(takesArguments('{"type":"object","additionalProperties":false}')).toBe(false);
  expect(takesArguments('{"type":"object","properties":{"a":{}},"additionalProperties":false}')).toBe(true);
  expect(takesArguments('{"type":"object"}')).toBe(true);
  expect(takesArguments('not JSON')).toBe(true);
});
