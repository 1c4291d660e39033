import type { AgentDependencies } from '../conversation/agents/agent-findings.ts';

/** Models, toolsets and harnesses as tests need them; members may be replaced. */
export const testDependencies = (): { -readonly [K in keyof AgentDependencies]: AgentDependencies[K] } => ({
  models: {
    defaultTarget: { provider: 'demo', model: 'echo' },
    hasProvider: (provider) => provider === 'demo' || provider === 'openai',
    providerNames: ['demo', 'openai'],
    facts: ({ provider, model }) => ({
      ...{ inputs: ['text'], tools: true, temperature: true, thinking: 'none' },
      known: provider !== 'demo' || model === 'echo',
    }),
  },
  capabilityProblems: (capabilities) =>
    Object.keys(capabilities)
      .filter((name) => name !== 'files')
      .map((name) => `unknown capability ${name}`),
  isToolsetAvailable: (name) => name === 'files',
  hasHarness: (name) => name === 'demo',
});
