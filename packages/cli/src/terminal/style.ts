import type { Output, World } from '../world.ts';

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
  environment: World['environment'],
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
