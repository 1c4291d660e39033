import { texts } from './texts.ts';

/** A path as it was typed, without spaces and slashes around it. */
export const documentPath = (typed: string): string => typed.trim().replace(/^\/+|\/+$/g, '');

/** Why no new document can have the path, in words; undefined when it can. The server would replace the one that has it. */
export const newPathObstacle = (path: string, taken: readonly string[]): string | undefined => {
  if (path === '') return texts.pathHint;
  return taken.some((other) => documentPath(other) === path) ? texts.isTaken : undefined;
};
