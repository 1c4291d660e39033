import type { AnyRoute } from '@tanstack/react-router';
import type { IconName } from '../ui/icon.tsx';

/** Groups of the navigation, in the order in which they are shown. */
export const GROUPS = ['Now', 'Conversations', 'Coordination', 'Knowledge', 'Platform', 'Operation'] as const;

/** The place of a screen in the navigation. */
export interface Section {
  readonly label: string;
  readonly icon: IconName;
  readonly group: (typeof GROUPS)[number];
  /** Address; with `isScoped` behind that of the chosen namespace, e.g. `/agents` for `/ns/default/agents`. */
  readonly path: string;
  readonly isScoped: boolean;
  /** Further addresses that belong to it, with any text in place of a part with `$`, e.g. `/agents/$agent/sessions`. */
  readonly also?: readonly string[];
  /** Letter that opens it after `g`. */
  readonly letter?: string;
}

/** What a folder in screens/ brings: its addresses, and its place in the navigation. */
export interface Screen<R extends readonly AnyRoute[]> {
  readonly routes: R;
  readonly sections: readonly Section[];
}

/** A screen with the types of its addresses kept, so that links to it are checked. */
export const screen = <const R extends readonly AnyRoute[]>(parts: Screen<R>): Screen<R> => parts;
