const LEADS_ELSEWHERE = /^(?:https?:\/\/[^/\\]|mailto:[^/\\])/i;
/** White space, control characters and what turns the direction of text could hide where a link leads. */
const HIDDEN = /[\s\p{Cc}\p{Cf}]/u;

/** The address if a link may lead there: a website or an e-mail address; nothing else is ever opened. */
export const safeAddress = (address: string): string | undefined =>
  LEADS_ELSEWHERE.test(address) && !HIDDEN.test(address) ? address : undefined;
