/** Lets the browser save what is at an address under this name. */
export const saveAs = (url: string, filename: string): void => {
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noopener';
  link.download = filename;
  link.click();
};

/** A browser may read the bytes a while after the click. */
const SAVED_MS = 60_000;

/** Lets the browser save bytes of this page under this name. */
export const saveBlob = (blob: Blob, filename: string): void => {
  const url = URL.createObjectURL(blob);
  saveAs(url, filename);
  setTimeout(() => URL.revokeObjectURL(url), SAVED_MS);
};
