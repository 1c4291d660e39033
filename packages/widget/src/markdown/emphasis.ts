import { h, type ViewNode } from '../dom/index.ts';

/** A run of `*`, `_` or `~` that may begin or end emphasis. */
export interface Delimiter {
  readonly character: string;
  readonly count: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

export type InlineItem = ViewNode | Delimiter;

const isDelimiter = (item: InlineItem): item is Delimiter => typeof item !== 'string' && 'canOpen' in item;

/** What is inside a run that is still open; the outermost one has no run. */
interface Frame {
  readonly character: string;
  count: number;
  readonly children: ViewNode[];
}

/** More open runs than this are text: no one emphasises so deeply, and the work stays in proportion to the text. */
const MAX_OPEN = 32;

/** Pairs the runs and answers what they emphasise; runs without a partner stay text. */
export const emphasise = (items: readonly InlineItem[]): ViewNode[] => {
  const frames: Frame[] = [{ character: '', count: 0, children: [] }];
  for (const item of items) {
    if (isDelimiter(item)) takeRun(frames, item);
    else addTo(frames, item);
  }
  return flatten(frames, 0);
};

const addTo = (frames: readonly Frame[], node: ViewNode): void => {
  const { children } = frames[frames.length - 1] as Frame;
  const last = children.at(-1);
  if (typeof node === 'string' && typeof last === 'string') children[children.length - 1] = last + node;
  else children.push(node);
};

const takeRun = (frames: Frame[], run: Delimiter): void => {
  let left = run.count;
  while (run.canClose && left > 0) {
    const at = frames.findLastIndex((frame) => frame.character === run.character && fits(frame, left, run));
    if (at < 0) break;
    const opener = frames[at] as Frame;
    const used = run.character === '~' || (opener.count >= 2 && left >= 2) ? 2 : 1;
    const inside = flatten(frames, at + 1, opener.children);
    left -= used;
    opener.count -= used;
    const node = h(tagOf(run.character, used), {}, inside);
    if (opener.count === 0) frames.pop();
    else opener.children.length = 0;
    addTo(frames, node);
  }
  if (left === 0) return;
  if (run.canOpen && frames.length < MAX_OPEN) frames.push({ character: run.character, count: left, children: [] });
  else addTo(frames, run.character.repeat(left));
};

const fits = (opener: Frame, left: number, { character }: Delimiter): boolean =>
  opener.count > 0 && (character !== '~' || (opener.count >= 2 && left >= 2));

const tagOf = (character: string, used: number): string => {
  if (character === '~') return 'del';
  return used === 2 ? 'strong' : 'em';
};

/** Removes the frames from `from` on; their runs become text behind `before`. */
const flatten = (frames: Frame[], from: number, before: readonly ViewNode[] = []): ViewNode[] => {
  const target: Frame = { character: '', count: 0, children: [...before] };
  for (const frame of frames.splice(from)) {
    if (frame.count > 0) addTo([target], frame.character.repeat(frame.count));
    for (const child of frame.children) addTo([target], child);
  }
  return target.children;
};
