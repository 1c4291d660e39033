import { EVERYWHERE } from '../scope.ts';
import { texts } from '../texts.ts';

/** A namespace as people call it. */
export const labelOf = (name: string): string => (name === EVERYWHERE ? texts.everywhere : name);
