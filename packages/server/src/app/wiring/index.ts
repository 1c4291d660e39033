/**
 * app/wiring: the list of the features, what each is made of, and the engines that run their parts. A list only: whatever decides
 * or computes something has a home elsewhere (tools/checks/wiring). Called by server.ts, which starts and stops.
 */
export { type App, wireApp } from './app-parts.ts';
export { servedParts } from './serving.ts';
