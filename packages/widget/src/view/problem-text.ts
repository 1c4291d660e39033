import type { Problem } from '../model/index.ts';
import type { ChatTexts } from '../texts.ts';

/** A problem in words for the reader. */
export const problemText = (texts: ChatTexts, problem: Problem): string => {
  switch (problem.kind) {
    case 'unreachable':
      return texts.unreachable;
    case 'access':
      return texts.noAccess;
    case 'gone':
      return texts.gone;
    case 'too-large':
      return texts.tooLarge;
    case 'busy':
      return texts.busy;
    default:
      return problem.message || texts.failed;
  }
};
