import { afterEach, describe, expect, it } from 'vitest';
import type { PromptRequest } from './contract.ts';
import { EngineHarness } from './testing/engine-harness.ts';

describe('skills of a turn', () => {
  const engine = new EngineHarness({
    spec: {
      features: [
        { type: 'skill', name: 'draw' },
        { type: 'toolset', name: 'goals' },
      ],
    },
  });
  afterEach(async () => {
    await engine.stop();
    await engine.dispose();
  });

  it('are read for its namespace, those of its agent and the active names of its session, and handed to the prompt', async () => {
    const asked: unknown[] = [];
    const planned: PromptRequest[] = [];
    const skills = { catalogue: [{ name: 'sum', description: 'adds' }], active: [{ name: 'sum', text: 'Add.' }] };
    await engine.start({
      deps: {
        skills: {
          promptSkills: async (_tx, namespace, active) => {
            asked.push([namespace, active]);
            return skills;
          },
        },
        prompts: {
          plan: async (request) => {
            planned.push(request);
            return {
              kind: 'call',
              messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
              tools: [],
              countedTokens: 0,
            };
          },
        },
      },
    });
    const session = await engine.session();
    await engine.store.write(async (tx) => {
      const row = await tx.log.lockSession(session);
      if (row !== undefined)
        await tx.log.saveSession({ ...row, body: JSON.stringify({ ...JSON.parse(row.body), skills: ['sum'] }) });
    });
    const { turnId } = await engine.send(session, 'hello');
    await engine.ended(turnId);
    expect(asked).toEqual([['default', ['draw', 'sum']]]);
    expect(planned.map((request) => request.skills)).toEqual([skills]);
  });
});
