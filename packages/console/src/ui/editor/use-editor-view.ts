import type { Extension } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';

interface EditorSetup {
  readonly text: string;
  readonly extensions: () => Extension;
  /** The view is made again when this changes. */
  readonly key: string;
}

/**
 * An editor in the element of `host`. It lives in a shadow tree, because only there it brings its rules as style sheets of the
 * document; in the page itself it would need a style element, which the page's policy forbids.
 */
export const useEditorView = ({
  text,
  extensions,
  key,
}: EditorSetup): { readonly host: RefObject<HTMLDivElement | null>; readonly view: EditorView | undefined } => {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const stateNow = useEffectEvent(() => EditorState.create({ doc: text, extensions: extensions() }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for everything that makes another editor
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const next = new EditorView({ state: stateNow(), parent: root, root });
    setView(next);
    return () => next.destroy();
  }, [key]);
  return { host, view };
};
