/** What a server elsewhere answers may only be opened as a page. */
export const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);
