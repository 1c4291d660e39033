import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { type KeyBinding, KeyTable } from './key-table.ts';

const table = new KeyTable();

const TYPED_IN = 'input, textarea, select, [contenteditable=true], [role=textbox]';

/** What Enter presses by itself. */
const PRESSED_BY_ENTER = 'button, a[href], summary, [role=menuitem]';

const DIALOGS = 'dialog, [role=dialog], [role=alertdialog]';

/** Keys that may be held; any other acts once for each press. */
const HELD: ReadonlySet<string> = new Set(['j', 'k']);

/** Makes one listener for the page answer all keys; once, in the frame. */
export const useKeyListener = (): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // The target of an event is only the outside of a shadow tree, such as that of an editor.
      const [target] = event.composedPath();
      const isWithin = (selector: string): boolean => target instanceof Element && target.closest(selector) !== null;
      // Above the page only its dialog answers.
      if (event.altKey || event.defaultPrevented || event.isComposing || isWithin(DIALOGS)) return;
      const isTyping = isWithin(TYPED_IN);
      const isMod = event.metaKey || event.ctrlKey;
      const isPress = event.key === 'Enter' && isWithin(PRESSED_BY_ENTER);
      if (isPress && !isMod) return;
      const found = table.find({ key: event.key, isMod, isTyping }, event.timeStamp);
      if (found === undefined) return;
      event.preventDefault();
      // A held key would answer or save what was only shown by its first press.
      if (event.repeat && !HELD.has(event.key)) return;
      found.run();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
};

/** Binds a key while the component is shown; `isOn` false leaves it out. */
export const useKey = ({ keys, does, run }: KeyBinding, isOn = true): void => {
  const runNow = useEffectEvent(run);
  useEffect(() => (isOn ? table.add({ keys, does, run: runNow }) : undefined), [keys, does, isOn]);
};

/** The keys that do something now. */
export const useKeyList = (): readonly KeyBinding[] => useSyncExternalStore(table.watch, () => table.bindings);
