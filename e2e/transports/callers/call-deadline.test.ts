import { create } from '@bufbuild/protobuf';
import { GetAgentRequestSchema, SendMessageRequestSchema } from '@svc/api/gateway';
import { expect, it } from 'vitest';
import { callDeadlineMs } from './call-deadline.ts';

it('leaves the server its wait and 40 seconds more', () => {
  expect(callDeadlineMs(create(GetAgentRequestSchema))).toBe(40_000);
  expect(callDeadlineMs(create(SendMessageRequestSchema, { message: 'hi' }))).toBe(40_000);
  expect(callDeadlineMs(create(SendMessageRequestSchema, { waitSeconds: 20 }))).toBe(60_000);
  expect(callDeadlineMs(create(SendMessageRequestSchema, { waitSeconds: 300 }))).toBe(340_000);
});
