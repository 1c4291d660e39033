import { notify } from './notices.tsx';

/**
 * Puts a text into the clipboard and says so. Pages that did not come over HTTPS or from this computer have no clipboard interface;
 * there the text is selected in a field of its own for the moment of the copy.
 */
export const copyText = async (text: string, what: string): Promise<void> => {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) copyOverField(text);
  else await clipboard.writeText(text);
  notify(`Copied: ${what}`);
};

const copyOverField = (text: string): void => {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
};
