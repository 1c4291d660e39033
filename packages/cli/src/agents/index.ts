/** agents: commands about one agent beyond what all kinds have: rebase on its template, its tools, and a call of one. */
export { type RebaseOptions, rebaseAgent } from './rebase.ts';
export { listTools, type TryOptions, tryTool } from './tools.ts';
