/** Schemes of addresses that a person may follow from a text. */
const FOLLOWED = /^(https?:\/\/|mailto:)/i;

/** Pictures that are in the text itself. SVG is left out: it is a document, not only a picture. */
const INLINE_IMAGE = /^(data:image\/(png|jpeg|gif|webp|avif);base64,[a-z0-9+/=]*$|blob:)/i;

/** A path of this server. Browsers read `//` and `/\` as the name of another one. */
const OWN_PATH = /^\/(?![/\\])/;

/** Browsers skip white space and control characters inside of an address, so `java\nscript:` means what it hides. */
const HIDDEN = /[\p{Cc}\s]/gu;

const plainly = (address: string): string => address.replaceAll(HIDDEN, '');

/** The address of a link that may be followed; undefined for any other, such as `javascript:`. */
export const linkAddress = (address: string): string | undefined => {
  const plain = plainly(address);
  return FOLLOWED.test(plain) || OWN_PATH.test(plain) || plain.startsWith('#') ? plain : undefined;
};

/** The address of an image that may be loaded: nothing leaves for another server; undefined for any other. */
export const imageAddress = (address: string): string | undefined => {
  const plain = plainly(address);
  return INLINE_IMAGE.test(plain) || OWN_PATH.test(plain) ? plain : undefined;
};
