/**
 * features/authoring/search: one search over what an agent may read: files of its namespace, knowledge, and its other sessions; and the
 * tool that opens what was found. Owns the tools and how results are joined; what is searched and shown, the features answer whose data
 * it is. Stores nothing. app wires it.
 */
export { searchModule } from './search-module.ts';
export { sessionSearch } from './session-search.ts';
