import type { SessionKey } from '@svc/client';
import { useState } from 'react';

/** What a person has typed and not sent yet; each session has its own, for as long as the tab is open. */
export const useDraft = (
  { ns, agent, sessionId }: SessionKey,
  part: string,
): readonly [string, (text: string) => void] => {
  const key = `svc.${part} ${ns}/${agent}/${sessionId}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const write = (next: string): void => {
    setText(next);
    if (next === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [text, write];
};
