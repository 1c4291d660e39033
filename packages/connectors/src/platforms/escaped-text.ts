/** Slack and the cards of Google Chat read markup between these signs: a question may quote it, and must neither call people nor change its looks. */
export const escapedText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
