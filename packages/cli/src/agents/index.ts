/** agents: commands about one agent beyond what all kinds have: rebase on its template. */
export { type RebaseOptions, rebaseAgent } from './rebase.ts';
