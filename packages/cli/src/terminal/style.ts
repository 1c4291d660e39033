import type { Host, Output } from '../host.ts';

/** Paints text, or leaves it as it is. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const paint =
  (isColoured: boolean, open: number, close: number) =>
  (text: string): string =>
    isColoured && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;

/** Colours only on a terminal, never with NO_COLOR, --no-color or TERM=dumb; FORCE_COLOR counts as a terminal. */
export const styleFor = (
  output: Pick<Output, 'isTerminal'>,
  environment: Host['environment'],
  isColourWanted = true,
): Style => {
  const noColour = environment['NO_COLOR'];
  const isForced = (environment['FORCE_COLOR'] ?? '0') !== '0';
  const isRefused = !isColourWanted || (noColour !== undefined && noColour !== '') || environment['TERM'] === 'dumb';
  const isColoured = !isRefused && (output.isTerminal || isForced);
  return {
    bold: paint(isColoured, 1, 22),
    dim: paint(isColoured, 2, 22),
    red: paint(isColoured, 31, 39),
    green: paint(isColoured, 32, 39),
    yellow: paint(isColoured, 33, 39),
    cyan: paint(isColoured, 36, 39),
  };
};

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
