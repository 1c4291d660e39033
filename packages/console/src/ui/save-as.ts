/** Lets the browser save what is at an address under this name. */
export const saveAs = (url: string, filename: string): void => {
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noopener';
  link.download = filename;
  link.click();
};

/** Lets the browser save bytes of this page under this name. */
export const saveBlob = (blob: Blob, filename: string): void => {
  const url = URL.createObjectURL(blob);
  saveAs(url, filename);
  URL.revokeObjectURL(url);
};
