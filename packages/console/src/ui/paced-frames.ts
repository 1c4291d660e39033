/** What drawing needs of the browser; times in milliseconds. */
export interface FrameHost {
  readonly now: () => number;
  /** Before the next frame is drawn. */
  readonly frame: (run: () => void) => void;
  /** As a task of its own, so with 0 behind the frame that is being drawn. */
  readonly after: (ms: number, run: () => void) => void;
}

const browser: FrameHost = {
  now: () => performance.now(),
  frame: (run) => void requestAnimationFrame(run),
  after: (ms, run) => void setTimeout(run, ms),
};

/** Of sixty a second. */
const FRAME_MS = 1_000 / 60;
/** After one very slow frame the page must not seem to stand still. */
const LONGEST_REST_MS = 100;

/**
 * Runs what changes the page before its next frame. A frame that takes longer than its share of a second is followed by a rest as
 * long as it took: with many pages on a slow machine each one changes less often, and scrolling and typing stay smooth.
 */
export const pacedFrames = ({ now, frame, after }: FrameHost = browser): ((run: () => void) => void) => {
  let restsUntil = 0;
  return (run) => {
    const draw = (): void => {
      const began = now();
      if (began < restsUntil) {
        after(restsUntil - began, () => frame(draw));
        return;
      }
      run();
      after(0, () => {
        const took = now() - began;
        if (took > FRAME_MS) restsUntil = now() + Math.min(took, LONGEST_REST_MS);
      });
    };
    frame(draw);
  };
};
