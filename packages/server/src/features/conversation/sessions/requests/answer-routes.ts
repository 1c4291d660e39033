import { isFault } from '../../../../base/index.ts';
import type { HttpRoute } from '../../../../operations/index.ts';
import { kindOf, type PermissionData } from '../../../../runtime/contract.ts';
import { formFields, formValue } from './answer-form.ts';
import type { AnswerLinks, LinkAnswer } from './answer-links.ts';
import { messagePage, PAGE_HEADERS, questionPage } from './answer-page.ts';

/** Largest form that is read. */
const FORM = { bytes: 256 * 1024 };

const THANKS = messagePage('Thank you', 'Your answer was recorded. You can close this page.');
const GONE = messagePage('This link is not valid any more', 'It was answered, it expired, or it is mistyped.');

/** `decidedBy` of a request that no person answered: its turn ended, or its time was over. */
const NO_ONE = 'system';

const closedPage = ({ decision, decidedBy, prompt }: PermissionData): string =>
  decision === 'PENDING' || decidedBy === NO_ONE
    ? messagePage('Too late', 'The agent no longer waits for this answer.')
    : messagePage('Already answered', `${prompt} This was answered before.`);

/** `GET` and `POST /r/{token}`: the page behind an answer link. It needs no credential: the address is the credential. */
export const answerRoutes = (links: AnswerLinks, now: () => number): readonly HttpRoute[] => {
  const isOpen = (data: PermissionData): boolean => data.decision === 'PENDING' && data.expiresAt > now();
  const route = (method: 'GET' | 'POST', handle: HttpRoute['handle']): HttpRoute => ({
    method,
    pattern: '/r/{token}',
    authenticated: false,
    handle,
  });
  const found = async (token: string): Promise<PermissionData | undefined> => {
    try {
      return await links.request(token);
    } catch (error) {
      if (isFault(error) && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  };
  return [
    route('GET', async (exchange, { token = '' }) => {
      const data = await found(token);
      if (data === undefined) exchange.answer(404, PAGE_HEADERS, GONE);
      else if (isOpen(data)) exchange.answer(200, PAGE_HEADERS, questionPage(data));
      else exchange.answer(410, PAGE_HEADERS, closedPage(data));
    }),
    route('POST', async (exchange, { token = '' }) => {
      const data = await found(token);
      if (data === undefined) return exchange.answer(404, PAGE_HEADERS, GONE);
      const refuse = (problem: string): void =>
        isOpen(data)
          ? exchange.answer(400, PAGE_HEADERS, questionPage(data, problem))
          : exchange.answer(410, PAGE_HEADERS, closedPage(data));
      const sent = new URLSearchParams(new TextDecoder().decode(await exchange.body(FORM)));
      const option = data.options.find(({ id }) => id === sent.get('option'));
      if (option === undefined) return refuse('Choose one of the answers.');
      try {
        await links.answer(token, answerOf(data, option, sent));
        exchange.answer(200, PAGE_HEADERS, THANKS);
      } catch (error) {
        if (!isFault(error)) throw error;
        if (error.reason === 'PERMISSION_CLOSED')
          return exchange.answer(410, PAGE_HEADERS, closedPage((await found(token)) ?? data));
        if (error.code !== 'INVALID_ARGUMENT') throw error;
        refuse(problemOf(error));
      }
    }),
  ];
};

const problemOf = (error: {
  readonly violations: readonly { readonly description: string }[];
  readonly message: string;
}) => error.violations.map(({ description }) => description).join('; ') || error.message;

const answerOf = (
  data: PermissionData,
  option: PermissionData['options'][number],
  sent: URLSearchParams,
): LinkAnswer => ({
  allow: option.allow,
  optionId: option.id,
  comment: '',
  ...(kindOf(data) === 'input' && option.allow ? { value: formValue(formFields(data.schema ?? {}), sent) } : {}),
});
