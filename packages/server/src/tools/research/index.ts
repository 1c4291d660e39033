/**
 * tools/research: what agents may read of the web: single pages, and answers of the search engine that the configuration names. Pages
 * come through a function that refuses private addresses; the search engine is the operator's choice and may be inside.
 */
export { createResearchTools } from './research-tools.ts';
