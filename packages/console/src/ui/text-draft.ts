import { useState } from 'react';

/** A text as it is stored; the version changes with each write of anybody to the resource that holds it. */
export interface StoredText {
  readonly text: string;
  readonly version: string;
}

/** A change of a stored text that is not saved yet. */
export interface TextDraft extends StoredText {
  /** The stored text that it changes. `version` is the one that must still be stored when it is saved. */
  readonly base: string;
  /** What was last sent to be saved. */
  readonly sent: string | undefined;
}

/**
 * The draft after the store said something new: undefined when it holds nothing else than what is stored. It moves on to a version
 * that holds what was sent or the same text as before, as only the person changed the text then.
 */
export const movedOn = (draft: TextDraft, stored: StoredText): TextDraft | undefined => {
  if (draft.text === stored.text) return undefined;
  const isOwn = stored.text === draft.sent || stored.text === draft.base;
  if (!isOwn || draft.version === stored.version) return draft;
  return { ...draft, base: stored.text, version: stored.version };
};

interface UsedDraft {
  /** Undefined while nothing is changed. */
  readonly draft: TextDraft | undefined;
  readonly setText: (text: string) => void;
  readonly discard: () => void;
  /** To be called when the draft is sent: what then is stored is the person's own. */
  readonly markSent: () => void;
}

/** Drafts that outlive the view of their text, by a name of that text; a page that shows one text at a time holds one. */
export type TextDrafts = Map<string, TextDraft>;

interface KeptUnder {
  readonly drafts: TextDrafts;
  readonly name: string;
}

/** A draft over a stored text, kept while others write; with `under` also while another text is shown. */
export const useTextDraft = (stored: StoredText, under?: KeptUnder): UsedDraft => {
  const [kept, setKept] = useState(under?.drafts.get(under.name));
  const keep = (next: TextDraft | undefined): void => {
    setKept(next);
    if (next === undefined) under?.drafts.delete(under.name);
    else under?.drafts.set(under.name, next);
  };
  const draft = kept && movedOn(kept, stored);
  if (draft !== kept) keep(draft);
  const begun = draft ?? { base: stored.text, version: stored.version, sent: undefined };
  return {
    draft,
    setText: (text) => keep({ ...begun, text }),
    discard: () => keep(undefined),
    markSent: () => keep(draft && { ...draft, sent: draft.text }),
  };
};
