import { expect, it } from 'vitest';
import type { ToolContext } from '../../../../tools/contract.ts';
import { ANY_TOKEN, type SignInPort, toolsBeforeSignIn } from './sign-in-tools.ts';
import { taskKey, taskOfCall } from './task-wait-rules.ts';

const NOW = 1_700_000_000_000_000;
const SECOND = 1_000_000;
const port: SignInPort = {
  needOf: async () => undefined,
  ask: async (tool) => {
    throw new Error(`${tool} asks for a sign-in that happened`);
  },
};

/** Runs a call that was open before its person signed in, which happened a moment ago. */
const run = async (context: Pick<ToolContext, 'waited'> & Partial<ToolContext>) => {
  const tools = toolsBeforeSignIn({ server: 'desk', port, need: ANY_TOKEN, isSignedIn: async () => true }, [
    'mcp_desk_work',
  ]);
  const tool = tools.find(({ name }) => name === 'mcp_desk_work');
  return tool?.run({ answers: [], nowMicros: NOW, ...context } as ToolContext, {});
};

it('a call whose person signed in a moment ago is to be made again by the model', async () => {
  expect(await run({})).toMatchObject({ isError: true });
});

it('a call that has a task waits for the tools of its server instead, and finds its task then', async () => {
  const waited = { key: taskKey('a/b'), sinceMicros: NOW, untilMicros: NOW + 60 * SECOND, endedBy: 'event' } as const;
  const wait = await run({ waited });
  expect(wait).toEqual({ wait: 'event', key: expect.any(String), untilMicros: NOW + SECOND });
  const { key, untilMicros } = wait as { key: string; untilMicros: number };
  const next = { key, untilMicros, sinceMicros: NOW, endedBy: '' } as const;
  expect(taskOfCall({ answers: [], waited: next })).toBe('a/b');
  // The same wait again, so that the turn parks.
  expect(await run({ waited: next, nowMicros: NOW + 5 })).toEqual(wait);
});
