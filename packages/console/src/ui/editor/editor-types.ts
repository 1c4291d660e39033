/** Something that is wrong with a text, at its line. */
export interface TextProblem {
  /** From 1; 0 where it belongs to no line. */
  readonly line: number;
  /** From 1; 0 or absent marks the whole line. */
  readonly column?: number;
  readonly text: string;
}

/** One thing that could be written at the cursor. */
export interface Suggestion {
  readonly label: string;
  /** Next to the label, such as a type. */
  readonly detail?: string;
  /** What it means, shown for the chosen one. */
  readonly info?: string;
  /** What is written; the label where it is absent. */
  readonly text?: string;
}

/** What could be written from `from`, an offset in the text, up to the cursor. */
export interface Suggestions {
  readonly from: number;
  readonly options: readonly Suggestion[];
}

/** What the word from `from` to `to`, offsets in the text, means. */
export interface Explanation {
  readonly from: number;
  readonly to: number;
  readonly title: string;
  readonly text: string;
}

/** What knows the language of a text beyond its syntax. */
export interface TextHelp {
  readonly suggest: (text: string, offset: number) => Promise<Suggestions | undefined>;
  readonly explain: (text: string, offset: number) => Promise<Explanation | undefined>;
}

export type TextLanguage = 'yaml' | 'json' | 'text';
