import type { ReactElement } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names.ts';

/** What a state means for the person who looks. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'calm';

const SHAPES: Readonly<Record<Tone, string>> = { good: '●', bad: '▲', warn: '◆', busy: '◐', calm: '○' };

/** A state as a word with a shape, so that it can be read without colours. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: string }): ReactElement => (
  <span className={classNames(styles.badge, styles[tone])}>
    <span aria-hidden="true">{SHAPES[tone]}</span>
    {children}
  </span>
);
