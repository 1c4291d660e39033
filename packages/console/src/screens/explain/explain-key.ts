/** Types of the panels. */
export const EXPLAIN_EVENT = 'explain-event';
export const EXPLAIN_MESSAGE = 'explain-message';

/** A connector or channel as the key of a panel. */
export interface Explainable {
  readonly ns: string;
  readonly name: string;
}

/** As text for an address of the page. */
export const explainKey = ({ ns, name }: Explainable): string => `${ns}/${name}`;

/** Reads `explainKey` back. */
export const explainableOf = (key: string): Explainable => {
  const [ns = '', name = ''] = key.split('/');
  return { ns, name };
};
