import { CommandFailure } from '../failure.ts';
import { agentKind } from './agent-kind.ts';
import type { Kind } from './kind.ts';
import { namespaceKind } from './namespace-kind.ts';
import { customKind, resourceKinds } from './resource-kind.ts';
import { sessionKind } from './session-kind.ts';

/** All kinds, in the order of help and completion. */
export const kinds: readonly Kind[] = [namespaceKind, agentKind, sessionKind, ...resourceKinds];

/** Kinds that cannot be in a manifest, because the system creates their resources. */
const NOT_AUTHORABLE: ReadonlySet<string> = new Set(['Session', 'Worker', 'DeploymentReplica']);

/** True for kinds whose resources people write. */
export const isAuthorable = (kind: string): boolean => !NOT_AUTHORABLE.has(kind);

/** The kind that a word such as `ns` or `Agents` means; a capitalised unknown word is a custom kind. */
export const kindOf = (word: string): Kind => {
  const found = kinds.find((kind) => kind.words.includes(word.toLowerCase()));
  if (found !== undefined) return found;
  if (/^[A-Z][A-Za-z0-9]*$/.test(word)) return customKind(word);
  throw new CommandFailure(`there is no kind ${word}`, {
    hint: '`svc get --help` lists the kinds; custom kinds by their exact name',
    slip: { word, candidates: kinds.map((kind) => kind.plural) },
  });
};
