import { notify } from './notices.tsx';

/**
 * Puts a text into the clipboard and says so, or that the browser refused it. Pages that did not come over HTTPS or from this computer
 * have no clipboard interface, and a browser may refuse it to others; there the text is selected in a field of its own for the moment
 * of the copy.
 */
export const copyText = async (text: string, what: string): Promise<void> => {
  const isCopied = (await writeToClipboard(text)) || copyOverField(text);
  notify(isCopied ? `Copied: ${what}` : `Not copied, because this browser does not let pages copy: ${what}`);
};

const writeToClipboard = async (text: string): Promise<boolean> => {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
};

const copyOverField = (text: string): boolean => {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
};
