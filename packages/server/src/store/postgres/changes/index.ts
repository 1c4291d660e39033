/**
 * store/postgres/changes: how far the numbered logs are complete, though transactions commit in any order. Read by the
 * handles of `tables`; writes nothing.
 */
export { LogFrontier } from './log-frontier.ts';
