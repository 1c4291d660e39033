import type { Style } from './style.ts';

/** Headings of columns that hold a phase or a state. */
const PHASE_COLUMNS: ReadonlySet<string> = new Set(['PHASE', 'STATE']);

/** The meaning of phases, in any case. */
const TONES: Readonly<Record<'green' | 'yellow' | 'red', ReadonlySet<string>>> = {
  green: new Set(['active', 'armed', 'complete', 'completed', 'indexed', 'open', 'ready', 'running', 'succeeded']),
  yellow: new Set(['draining', 'pending', 'processing', 'queued', 'suspended', 'terminating', 'unknown', 'waiting']),
  red: new Set(['degraded', 'error', 'failed', 'invalid', 'lost', 'revoked', 'expired']),
};

/** A phase in the colour of its meaning: good, in progress, bad. Other words stay uncoloured. */
export const paintPhase = (style: Style, phase: string): string => {
  const word = phase.trim().toLowerCase();
  for (const tone of ['green', 'yellow', 'red'] as const) if (TONES[tone].has(word)) return style[tone](phase);
  return phase;
};

/** Paints the cells below PHASE and STATE; for renderPaintedTable. */
export const phasePainter =
  (style: Style) =>
  (cell: string, heading: string): string =>
    PHASE_COLUMNS.has(heading) ? paintPhase(style, cell) : cell;

/** The status of a condition: True is good, False is bad, Unknown is in progress. */
export const paintStatus = (style: Style, status: string): string =>
  status === 'True' ? style.green(status) : status === 'False' ? style.red(status) : style.yellow(status);
