import { type ElementNode, h, type ViewNode, withHooks } from '../dom/index.ts';
import { safeAddress } from '../markdown/index.ts';
import {
  type FieldProblem,
  type FieldValue,
  fieldName,
  formFields,
  type PersonRequest,
  type RequestOption,
} from '../model/index.ts';
import type { PendingAnswer } from '../session/index.ts';
import type { ChatTexts } from '../texts.ts';
import { button } from './button.ts';
import type { ChatActions } from './chat-actions.ts';
import { fieldView } from './field-view.ts';
import { type IconName, icon } from './icon.ts';
import { problemText } from './problem-text.ts';

/** What a person did with the fields of a form, and what is wrong with them, by field. */
export interface FilledForm {
  readonly values: ReadonlyMap<string, FieldValue>;
  readonly problems: ReadonlyMap<string, FieldProblem>;
}

/** Forms that a person has begun to fill, by request. */
export type RequestForms = ReadonlyMap<string, FilledForm>;

export interface RequestContext {
  readonly texts: ChatTexts;
  readonly actions: ChatActions;
  readonly forms: RequestForms;
  readonly pending: PendingAnswer | undefined;
}

/** What the agent asks, with the means to answer it; one quiet line once it is answered. */
export const requestView = (request: PersonRequest, context: RequestContext): ViewNode => {
  const { texts } = context;
  if (request.state !== 'open') return answeredView(request, texts);
  const isSending = context.pending?.state === 'sending';
  const titleId = `request-${request.id}`;
  return h(
    'section',
    {
      key: titleId,
      class: 'card request',
      part: 'request',
      'aria-labelledby': titleId,
      'aria-busy': isSending && 'true',
    },
    [
      h('p', { class: 'request-title', id: titleId }, [icon('person'), h('span', {}, [titleOf(request, texts)])]),
      request.prompt !== '' && h('p', { class: 'plain' }, [request.prompt]),
      request.kind === 'permission' && detailsView(request, texts),
      refusalView(context),
      answerView(request, context, isSending),
    ],
  );
};

const titleOf = ({ kind }: PersonRequest, texts: ChatTexts): string =>
  ({
    permission: texts.asksPermission,
    input: texts.asksInput,
    sign_in: texts.asksSignIn,
    budget: texts.asksBudget,
  })[kind];

const answeredView = (request: PersonRequest, texts: ChatTexts): ViewNode => {
  const isAllowed = request.state === 'allowed';
  const sign: IconName = isAllowed ? 'check' : 'cross';
  const about = request.kind === 'permission' ? request.action || request.prompt : request.prompt || request.action;
  return h('p', { class: 'tool', part: 'tool' }, [
    icon(sign),
    h('span', {}, [`${answerText(request, texts)}: ${about}`]),
  ]);
};

const answerText = ({ kind, state, chosen }: PersonRequest, texts: ChatTexts): string => {
  if (state === 'closed') return texts.closed;
  if (kind === 'permission') return state === 'allowed' ? chosen || texts.allowed : texts.denied;
  if (kind === 'budget' && chosen !== '') return chosen;
  return state === 'allowed' ? texts.given : texts.declined;
};

const detailsView = ({ input, action }: PersonRequest, texts: ChatTexts): ViewNode | undefined => {
  const isEmpty = input === undefined || input === null || JSON.stringify(input) === '{}';
  if (isEmpty) return undefined;
  return h('details', {}, [
    h('summary', {}, [`${texts.details}: ${action}`]),
    h('pre', { tabindex: 0, role: 'group', 'aria-label': texts.details }, [
      h('code', {}, [JSON.stringify(input, null, 2)]),
    ]),
  ]);
};

const refusalView = ({ texts, pending }: RequestContext): ViewNode | undefined => {
  if (pending?.state !== 'refused') return undefined;
  const { problem } = pending;
  const lines = [...problem.fields.values()];
  const text = lines.length > 0 ? lines.join('\n') : problemText(texts, problem);
  return h('p', { class: 'plain problem', role: 'alert' }, [text]);
};

const answerView = (request: PersonRequest, context: RequestContext, isSending: boolean): ViewNode => {
  switch (request.kind) {
    case 'input':
      return formView(request, context, isSending);
    case 'sign_in':
      return signInView(request, context, isSending);
    default:
      return optionsView(request, context, isSending);
  }
};

const DEFAULT_OPTIONS: readonly RequestOption[] = [
  { id: '', name: '', allows: true },
  { id: '', name: '', allows: false },
];

const optionsView = (request: PersonRequest, { texts, actions }: RequestContext, disabled: boolean): ViewNode => {
  const options = request.options.length > 0 ? request.options : DEFAULT_OPTIONS;
  const firstAllowed = options.find(({ allows }) => allows);
  return h(
    'div',
    { class: 'row' },
    options.map((option) =>
      button(
        { class: option === firstAllowed ? 'main-button' : 'plain-button', disabled },
        [option.name || (option.allows ? texts.allowed : texts.denied)],
        () => actions.answer(request.id, { allow: option.allows, optionId: option.id }),
      ),
    ),
  );
};

const declineButton = (request: PersonRequest, { texts, actions }: RequestContext, disabled: boolean): ElementNode =>
  button({ class: 'plain-button', disabled }, [texts.decline], () => actions.answer(request.id, { allow: false }));

const signInView = (request: PersonRequest, context: RequestContext, disabled: boolean): ViewNode => {
  const href = safeAddress(request.url);
  return h('div', { class: 'row' }, [
    href !== undefined &&
      h('a', { class: 'main-button', href, target: '_blank', rel: 'noopener noreferrer' }, [
        context.texts.signIn(new URL(href).host),
      ]),
    declineButton(request, context, disabled),
  ]);
};

const formView = (request: PersonRequest, context: RequestContext, disabled: boolean): ViewNode => {
  const { texts, actions, forms } = context;
  const filled = forms.get(request.id);
  const form = h('form', { class: 'form', novalidate: true }, [
    ...formFields(request.schema).map((field) => {
      const name = fieldName(field);
      // A form that is made again, such as in a bubble that was closed, shows what would be sent.
      const initial = filled?.values.get(name) ?? field.initial;
      return fieldView({ ...field, initial }, { request, texts, actions, problem: filled?.problems.get(name) });
    }),
    h('div', { class: 'row' }, [
      h('button', { type: 'submit', class: 'main-button', disabled }, [texts.submit]),
      declineButton(request, context, disabled),
    ]),
  ]);
  const submit = (event: Event): void => {
    event.preventDefault();
    actions.submitForm(request.id, request.schema);
  };
  return withHooks(form, { on: { submit } });
};
