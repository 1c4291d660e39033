import type { Resource } from '@svc/api/resources';
import { useMemo, useState } from 'react';
import type { TextProblem } from '../../../ui/editor/editor-types.ts';
import { notify } from '../../../ui/notices.tsx';
import { type Flow, readFlow, type StepLook } from '../flow/index.ts';
import { looksOfProblems, problemsOfText } from '../step-problems.ts';
import { texts } from '../texts.ts';
import { useDryRun, useSaveText } from '../workflow-data.ts';
import { obstacleOf, withVersion } from './save-rules.ts';

/** A definition that is being written: its text, its steps, and what the server thinks of it. */
export interface Definition {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly flow: Flow;
  readonly looks: ReadonlyMap<string, StepLook>;
  readonly problems: readonly TextProblem[];
  /** Why it cannot be saved, in words; undefined when it can. */
  readonly obstacle: string | undefined;
  readonly isSaving: boolean;
  readonly error: Error | null;
  readonly save: () => void;
}

interface Stored {
  readonly ns: string;
  /** Text of what is stored; '' for nothing. */
  readonly before: string;
  /** What is stored; undefined for nothing. */
  readonly stored: Resource | undefined;
  /** Version of what the text was begun with, which must still be stored; '' for nothing. */
  readonly version: string;
  /** Whether somebody else stored a newer one since. */
  readonly isNewer: boolean;
  /** Called with the text, too: it keeps comments, which the server does not. */
  readonly onSaved: (saved: Resource | undefined, text: string) => void;
}

/** Edits a text until it is saved; begins with `first`. */
export const useDefinition = (first: string, { ns, before, stored, version, isNewer, onSaved }: Stored): Definition => {
  const [text, setText] = useState(first);
  const flow = useReadableFlow(text);
  // What is stored was checked when it was stored.
  const check = useDryRun(ns, text === before ? '' : text);
  const saving = useSaveText(ns);
  const said = text === before ? undefined : check.data;
  const looks = useMemo(
    () => looksOfProblems(flow.steps, said?.errors ?? [], said === undefined ? stored : said.resource),
    [flow, said, stored],
  );
  const problems = useMemo(() => problemsOfText(said?.errors ?? []), [said]);
  return {
    text,
    setText,
    flow,
    looks,
    problems,
    obstacle: obstacleOf({
      isSame: text === before,
      isNew: stored === undefined,
      isNewer,
      said: said?.text === text ? said : undefined,
      hasFailed: check.error !== null,
    }),
    isSaving: saving.isPending,
    error: saving.error ?? check.error,
    save: () => {
      // A held key saves once.
      if (saving.isPending) return;
      const onSuccess = (saved: Resource | undefined): void => {
        notify(texts.saved);
        onSaved(saved, text);
      };
      saving.mutate(withVersion(text, version), { onSuccess });
    },
  };
};

/** The steps of the text; while it is not YAML those of before, so that the graph stays. */
const useReadableFlow = (text: string): Flow => {
  const flow = useMemo(() => readFlow(text), [text]);
  const [readable, setReadable] = useState(flow);
  if (flow.problem === undefined && flow !== readable) setReadable(flow);
  return useMemo(
    () => (flow.problem === undefined ? flow : { steps: readable.steps, problem: flow.problem }),
    [flow, readable],
  );
};
