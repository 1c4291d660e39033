/**
 * email: a mailbox as a platform. Mail that is not marked as seen is what svc does not have yet; it is marked once svc has taken it.
 * Replies are sent by SMTP as answers to the mail that they reply to.
 */
export { email } from './email.ts';
