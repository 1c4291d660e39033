import { ApplyOutcome } from '@svc/api/gateway';
import { isMap, parseAllDocuments } from 'yaml';
import { texts } from '../texts.ts';

interface SaveState {
  /** Whether the text is the one that is stored. */
  readonly isSame: boolean;
  /** Whether the text is for a workflow that does not exist yet. */
  readonly isNew: boolean;
  /** Whether somebody else stored a newer one since the text was begun. */
  readonly isNewer: boolean;
  /** What the server says of this very text; undefined while it did not answer. */
  readonly said: { readonly errors: readonly unknown[]; readonly outcome: ApplyOutcome | undefined } | undefined;
  /** Whether the server could not be asked. */
  readonly hasFailed: boolean;
}

/** Why a text cannot be saved, in words; undefined when it can. */
export const obstacleOf = ({ isSame, isNew, isNewer, said, hasFailed }: SaveState): string | undefined => {
  if (isSame) return texts.nothingToSave;
  if (isNewer) return texts.isNewer;
  // A check that failed, such as for lack of a connection, does not block the save, which reports it again. One that is new
  // waits for it: only the check tells whether the name is free.
  if (said === undefined && hasFailed) return isNew ? texts.notChecked : undefined;
  if (said === undefined) return texts.isChecking;
  if (said.errors.length > 0) return texts.hasProblems;
  return isNew && said.outcome !== ApplyOutcome.CREATED ? texts.isTaken : undefined;
};

/**
 * The text with the version that must still be stored, in the first resource of it: the server refuses it when somebody else
 * wrote it meanwhile. A text that is not a manifest stays as it is, for the server to say what is wrong with it.
 */
export const withVersion = (text: string, version: string): string => {
  const documents = parseAllDocuments(text);
  const [first] = documents;
  const isBroken = documents.some(({ errors }) => errors.length > 0);
  if (version === '' || first === undefined || isBroken || !isMap(first.get('metadata'))) return text;
  first.setIn(['metadata', 'resourceVersion'], version);
  return documents.map((document) => document.toString({ lineWidth: 0 })).join('');
};
