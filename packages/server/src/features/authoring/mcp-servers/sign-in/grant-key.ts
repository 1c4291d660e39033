import { createHash } from 'node:crypto';

/** Whose tokens, for which server, used by agents of which namespace. */
export interface GrantKey {
  readonly namespace: string;
  readonly serverUid: string;
  /** '' = everyone in the namespace. */
  readonly identity: string;
}

/** 32 hex digits for one key. */
export const grantId = ({ namespace, serverUid, identity }: GrantKey): string =>
  createHash('sha256')
    .update(JSON.stringify([namespace, serverUid, identity]))
    .digest('hex')
    .slice(0, 32);

const QUESTION = 'sign-in/';

/** The part of a question that asks for further scopes than a sign-in gave, with the epoch of that. */
const MORE = /^sign-in\/[^/]+\/[^/]+\/more-(\d+)(?:\/|$)/;

/** Names the question for a sign-in in the records of people's answers; `beyond` is the epoch of the grant that has too few scopes. */
export const questionKey = (key: GrantKey, stateHash: string, beyond?: number): string => {
  const question = `${QUESTION}${grantId(key)}/${stateHash.slice(0, 16)}`;
  return beyond === undefined ? question : `${question}/more-${beyond}`;
};

/** True for a question that asks for further scopes. */
export const asksForMore = (question: string): boolean => MORE.test(question);

/**
 * True for a question that the grant answers, whichever of its addresses was shown. One that asks for further scopes is answered by a later
 * sign-in only.
 */
export const isAnsweredBy = (
  { key, epoch }: { readonly key: GrantKey; readonly epoch: number },
  question: string | undefined,
): boolean => {
  if (question?.startsWith(`${QUESTION}${grantId(key)}/`) !== true) return false;
  const beyond = MORE.exec(question)?.[1];
  return beyond === undefined || epoch > Number(beyond);
};
