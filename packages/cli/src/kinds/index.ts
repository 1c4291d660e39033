/**
 * kinds: the kinds of resources that commands can show and delete, each with its words, its columns and its calls.
 * Knows nothing of flags or output forms.
 */
import { CommandFailure } from '../failure.ts';
import { agentKind } from './agent-kind.ts';
import type { Kind } from './kind.ts';
import { namespaceKind } from './namespace-kind.ts';
import { resourceKinds } from './resource-kind.ts';
import { sessionKind } from './session-kind.ts';

export type { Item, Kind, Scope } from './kind.ts';
export { manifestOf } from './resource-json.ts';
export { genericJson } from './resource-kind.ts';
export { findSession } from './session-kind.ts';

/** All kinds, in the order of help and completion. */
export const kinds: readonly Kind[] = [namespaceKind, agentKind, sessionKind, ...resourceKinds];

/** The kind that a word such as `ns` or `Agents` means. */
export const kindOf = (word: string): Kind => {
  const found = kinds.find((kind) => kind.words.includes(word.toLowerCase()));
  if (found !== undefined) return found;
  throw new CommandFailure(`there is no kind ${word}`, {
    hint: `one of ${kinds.map((kind) => kind.plural).join(', ')}`,
  });
};
