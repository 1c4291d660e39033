import type { Resource } from '@svc/api/resources';
import { type Client, isSvcError } from '@svc/client';
import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useCan, useClient } from '../../../access/access-context.ts';
import { writtenIn } from '../../../access/grant-rules.ts';
import { keyOf } from '../../../api/freshness.ts';
import { useWrite } from '../../../api/use-call.ts';
import type { TextProblem } from '../../../ui/editor/editor-types.ts';
import { loadResource, type ResourceAddress } from '../resource-data.ts';
import { writtenYamlOf } from '../yaml-of.ts';
import type { Rehearsal, Writing } from './editor-data.ts';
import { reviewedText } from './reviewed-text.ts';

/** What was stored when the text was begun. */
export interface Stored {
  readonly text: string;
  readonly version: string;
}

/** Where a draft is: being written, reviewed before it is saved, or in conflict with the change of another person. */
export type Stage =
  | { readonly is: 'write' }
  | { readonly is: 'review'; readonly after: string; readonly rehearsal: Rehearsal & { readonly is: 'fine' } }
  | { readonly is: 'conflict'; readonly theirs: Stored };

interface DraftSetup {
  readonly address: ResourceAddress;
  readonly isNew: boolean;
  readonly stored: Stored;
  readonly onSaved: (resource: Resource) => void;
}

export interface Draft {
  readonly text: string;
  readonly base: Stored;
  readonly stage: Stage;
  readonly isChanged: boolean;
  readonly problems: readonly TextProblem[];
  readonly review: UseMutationResult<void, Error, void>;
  readonly save: UseMutationResult<Resource | undefined, Error, void>;
  readonly setText: (text: string) => void;
  readonly backToText: () => void;
  /**
   * Continues from a newer state of the resource: with its text where nothing was typed, with the typed text where only its state changed.
   * True where its text changed too, about which the person has to decide.
   */
  readonly follow: (resource: Resource) => Promise<boolean>;
  /** Continues from what is stored now, with this text. */
  readonly goOnFrom: (base: Stored, text: string) => void;
}

const CHECK_AFTER_MS = 500;
const NOTHING: readonly TextProblem[] = [];

/** A text that replaces a resource: checked while it is written, rehearsed before it is saved, never over a change of others. */
export const useDraft = ({ address, isNew, stored, onSaved }: DraftSetup): Draft => {
  const [base, setBase] = useState(stored);
  const [text, showText] = useState(stored.text);
  const newest = useRef(stored.text);
  const setText = (next: string): void => {
    newest.current = next;
    showText(next);
  };
  const [stage, setStage] = useState<Stage>({ is: 'write' });
  const [refused, setRefused] = useState<readonly TextProblem[]>(NOTHING);
  const isChanged = text !== base.text;
  // The server refuses the check to those who may not write.
  const mayWrite = useCan()('admin', writtenIn(address));
  const checked = useTextCheck(address, text, mayWrite && (isNew || isChanged));
  const writing: Writing = { address, isNew, text, version: base.version };
  /** What is stored now, where only its state changed: the text may go over it. Undefined where people decide between two texts. */
  const meetConflict = async (client: Client): Promise<Stored | undefined> => {
    const now = await storedOf(await loadResource(client, address));
    if (now.text === base.text && now.version !== base.version) {
      setBase(now);
      return now;
    }
    setStage({ is: 'conflict', theirs: now });
    return undefined;
  };
  const follow = async (resource: Resource): Promise<boolean> => {
    const now = await storedOf(resource);
    if (newest.current === base.text) {
      setBase(now);
      setText(now.text);
    } else if (now.text === base.text) setBase(now);
    else return true;
    return false;
  };
  const review = useWrite<void, void>(async (client) => {
    const { rehearse } = await import('./editor-data.ts');
    let rehearsal = await rehearse(client, writing);
    if (rehearsal.is === 'conflict' && newest.current === writing.text) {
      const now = await meetConflict(client);
      if (now === undefined) return;
      rehearsal = await rehearse(client, { ...writing, version: now.version });
    }
    // Typed on meanwhile: what was asked is not what would be saved.
    if (newest.current !== writing.text) return;
    if (rehearsal.is === 'conflict') return void (await meetConflict(client));
    if (rehearsal.is === 'refused') return setRefused(rehearsal.problems);
    const shown = await writtenYamlOf(rehearsal.resource);
    if (newest.current !== writing.text) return;
    setStage({ is: 'review', after: reviewedText({ shown, base: base.text, text, address, rehearsal }), rehearsal });
  });
  const save = useWrite<void, Resource | undefined>((client) => written(client, writing, meetConflict), {
    changes: { kinds: [address.kind] },
    onDone: (resource) => resource && onSaved(resource),
  });
  return {
    text,
    base,
    stage,
    isChanged,
    problems: refused.length > 0 ? refused : checked,
    review,
    save,
    setText: (next) => {
      setText(next);
      setRefused(NOTHING);
    },
    backToText: () => setStage({ is: 'write' }),
    follow,
    goOnFrom: (next, merged) => {
      setBase(next);
      setText(merged);
      setStage({ is: 'write' });
    },
  };
};

/** Stores the text, once more where only the state of the resource changed; undefined where people have to decide first. */
const written = async (
  client: Client,
  writing: Writing,
  meetConflict: (client: Client) => Promise<Stored | undefined>,
): Promise<Resource | undefined> => {
  const { write } = await import('./editor-data.ts');
  try {
    return await write(client, writing);
  } catch (error) {
    if (!isSvcError(error) || error.reason !== 'CONFLICT') throw error;
    const now = await meetConflict(client);
    return now && (await write(client, { ...writing, version: now.version }));
  }
};

const storedOf = async (resource: Resource): Promise<Stored> => ({
  text: await writtenYamlOf(resource),
  version: versionOf(resource),
});

export const versionOf = (resource: Resource): string => resource.metadata?.resourceVersion ?? '';

/** What the server says of the text, a moment after the last key. */
const useTextCheck = (address: ResourceAddress, text: string, isOn: boolean): readonly TextProblem[] => {
  const client = useClient();
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    queryKey: [keyOf(['ApplyManifests', 'check', address, settled])],
    queryFn: async ({ signal }) =>
      (await import('./editor-data.ts')).checkText(client, { address, text: settled }, signal),
    enabled: isOn,
    gcTime: 60_000,
  });
  return data === undefined || settled !== text ? NOTHING : data;
};
