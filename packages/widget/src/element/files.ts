import type { Attachment } from '../model/index.ts';

/** The file as a `data:` address. Rejects when it cannot be read any more. */
export const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });

/** Pictures that every browser shows; not SVG, which may bring more along than a picture. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** A file that is attached, with a preview of pictures. */
export const attachmentOf = (file: File, id: string): Attachment => ({
  id,
  file,
  preview: SHOWN.test(file.type) ? URL.createObjectURL(file) : '',
});

/** An address of this page for bytes; until `release` of it. */
export const objectUrl = (bytes: ArrayBuffer, mediaType: string): string =>
  URL.createObjectURL(new Blob([bytes], { type: SHOWN.test(mediaType) ? mediaType : 'application/octet-stream' }));

/** Has the browser save what an address of this page stands for. */
export const saveAs = (url: string, filename: string): void => {
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
};
