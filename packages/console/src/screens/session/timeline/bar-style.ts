import type { CSSProperties } from 'react';

/** Where a bar begins and how long it is, both from 0 to 1. */
export const barStyle = (from: number, to: number): CSSProperties =>
  ({ '--from': `${from * 100}%`, '--length': `${Math.max(0, to - from) * 100}%` }) as CSSProperties;
