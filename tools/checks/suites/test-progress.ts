/**
 * What a vitest run has done so far: lines of JSON that progress-reporter.ts adds to a file as things happen. A run that is
 * killed, or ends without a report, shows in them: what ended, and which files had begun and not ended.
 */
export type ProgressLine =
  | { readonly event: 'planned'; readonly files: number }
  | { readonly event: 'begun'; readonly file: string }
  | { readonly event: 'test'; readonly file: string; readonly state: string; readonly title: string }
  | { readonly event: 'ended'; readonly file: string; readonly state: string };

/** A test file that has begun and not ended: how many of its tests have ended, and the title of the newest of them. */
interface OpenFile {
  readonly file: string;
  readonly tests: number;
  readonly newest?: string;
}

/** Numbers of tests that ended, of files that were planned and have begun; a file that failed outside its tests is one failure. */
export interface TestProgress {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly planned: number;
  readonly begun: number;
  readonly open: readonly OpenFile[];
}

interface FileProgress {
  tests: number;
  failed: number;
  newest?: string;
  /** Unset until the file has ended. */
  state?: string;
}

/** Reads the lines of a run; the last one may be cut off, for the run may still be running or have been killed. */
export function readProgress(text: string): TestProgress {
  const lines = text.split('\n').slice(0, -1);
  const files = new Map<string, FileProgress>();
  const counts = { passed: 0, failed: 0, skipped: 0, planned: 0 };
  for (const line of lines.map((json): ProgressLine => JSON.parse(json))) {
    if (line.event === 'planned') {
      counts.planned += line.files;
      continue;
    }
    const file = files.get(line.file) ?? { tests: 0, failed: 0 };
    files.set(line.file, file);
    if (line.event === 'ended') {
      file.state = line.state;
      if (line.state === 'failed' && file.failed === 0) counts.failed += 1;
    } else if (line.event === 'test') {
      file.tests += 1;
      file.newest = line.title;
      if (line.state === 'passed') counts.passed += 1;
      else if (line.state !== 'failed') counts.skipped += 1;
      else {
        counts.failed += 1;
        file.failed += 1;
      }
    }
  }
  const open = [...files].flatMap(([file, { state, tests, newest }]) =>
    state === undefined ? [{ file, tests, ...(newest === undefined ? {} : { newest }) }] : [],
  );
  return { ...counts, begun: files.size, open };
}

/**
 * Finds a run that stands still. Time is counted in looks, so that a machine that sleeps or a checking process that gets no
 * processor makes nothing look stuck.
 */
export class StillWatch {
  readonly #patience: number;
  #seen = '';
  #since = 0;

  /** A run stands still when files are open and nothing began or ended during `patience` looks. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** To be called at equal intervals. A file that died without an end stays open, so that one alone tells nothing. */
  isStill(progress: TestProgress): boolean {
    const seen = JSON.stringify(progress);
    this.#since = progress.open.length > 0 && seen === this.#seen ? this.#since + 1 : 0;
    this.#seen = seen;
    return this.#since >= this.#patience;
  }
}
