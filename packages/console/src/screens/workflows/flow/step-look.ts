import type { Tone } from '../../../ui/badge.tsx';
import type { IconName } from '../../../ui/icon.tsx';

/** How a step is: in a run its state, in a definition what is wrong with it. */
export interface StepLook {
  readonly tone: Tone;
  /** The state in one word. */
  readonly word: string;
  /** The text below it, such as the time that it took. */
  readonly note: string;
}

const ICONS: Readonly<Record<string, IconName>> = {
  agent: 'agent',
  tool: 'tools',
  workflow: 'flow',
  transform: 'layers',
  pause: 'pause',
  wait: 'clock',
};

export const iconOfType = (type: string): IconName => ICONS[type] ?? 'box';
