/**
 * features/authoring/search: one search over what an agent may read: files of its namespace, knowledge, and its other sessions; the
 * tool that opens what was found; and the same search through messages for people. Owns the tools, the operation SearchSessions and how
 * results are joined; other data is searched and shown by the features that own it. Stores nothing. app wires it.
 */
export { searchModule } from './search-module.ts';
export { sessionSearch } from './session-search.ts';
