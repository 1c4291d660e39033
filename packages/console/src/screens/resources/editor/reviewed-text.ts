import type { ResourceAddress } from '../resource-data.ts';
import type { Rehearsal } from './editor-data.ts';

interface Reviewed {
  readonly address: Pick<ResourceAddress, 'kind'>;
  /** As the text was begun. */
  readonly base: string;
  /** As it is written now. */
  readonly text: string;
  /** The YAML of what the server would store, as it shows it to the person. */
  readonly shown: string;
  readonly rehearsal: Pick<Rehearsal & { readonly is: 'fine' }, 'changed'>;
}

/**
 * The text that a review compares with the one of before: what would be stored. Values of a secret, and of headers and keys for
 * those who may not read them, are hidden in what the server answers: then only the text tells what is written.
 */
export const reviewedText = ({ address, base, text, shown, rehearsal }: Reviewed): string => {
  const isHidden = address.kind === 'Secret' || (shown === base && rehearsal.changed.length > 0);
  return isHidden ? text : shown;
};
