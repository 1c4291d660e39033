/**
 * protocols/acp: the client's side of the Agent Client Protocol, on the official library: lines of JSON to and from one agent, with
 * limits on both. What is asked of an agent and answered to it comes from outside (`contract.ts`); the process that speaks it is
 * started elsewhere. Called by app, which hands it to features/platform/harnesses.
 */
export { connectAgent } from './agent-connection.ts';

/** Text of the program of the demo agent. */
export const demoAgentProgram = async (): Promise<string> =>
  (await import('./generated/demo-agent-program.ts')).DEMO_AGENT;
