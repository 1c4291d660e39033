import { type ElementNode, h, type ViewNode, withHooks } from '../dom/index.ts';
import { type FieldProblem, type FieldValue, type FormField, fieldName, type PersonRequest } from '../model/index.ts';
import type { ChatTexts } from '../texts.ts';
import type { ChatActions } from './chat-actions.ts';

export interface FieldContext {
  readonly request: Pick<PersonRequest, 'id'>;
  readonly texts: ChatTexts;
  readonly actions: Pick<ChatActions, 'fill'>;
  readonly problem: FieldProblem | undefined;
}

/** More choices than this are a list that opens. */
const MAX_SHOWN_CHOICES = 5;

/** A field of a form, with its label, its explanation and what is wrong with it. */
export const fieldView = (field: FormField, context: FieldContext): ViewNode => {
  const isGroup = field.kind === 'choices' || (field.kind === 'choice' && field.choices.length <= MAX_SHOWN_CHOICES);
  if (field.kind === 'boolean') return checkView(field, context);
  return isGroup ? groupView(field, context) : lineView(field, context);
};

const idOf = ({ request }: FieldContext, field: FormField): string => `${request.id}-${fieldName(field)}`;

const labelOf = (field: FormField, { texts }: FieldContext): readonly ViewNode[] => [
  field.label || texts.asksInput,
  ...(field.isRequired ? [] : [h('span', { class: 'muted' }, [` (${texts.optional})`])]),
];

const notesOf = (field: FormField, context: FieldContext): readonly ViewNode[] => {
  const { texts, problem } = context;
  const words = { missing: texts.missing, number: texts.notNumber, json: texts.notJson };
  const id = idOf(context, field);
  return [
    ...(field.description === '' ? [] : [h('span', { class: 'muted', id: `${id}-help` }, [field.description])]),
    ...(problem === undefined ? [] : [h('span', { class: 'problem', id: `${id}-problem` }, [words[problem]])]),
  ];
};

/** What a field is described by, for readers who do not see it. */
const described = (field: FormField, context: FieldContext): Readonly<Record<string, string | boolean | undefined>> => {
  const id = idOf(context, field);
  const by = [field.description !== '' && `${id}-help`, context.problem !== undefined && `${id}-problem`].filter(
    Boolean,
  );
  return {
    'aria-describedby': by.length > 0 ? by.join(' ') : undefined,
    'aria-invalid': context.problem === undefined ? undefined : 'true',
  };
};

/** Tells what a person does with the field; `read` answers its value. */
const filling = (
  node: ElementNode,
  place: { readonly field: FormField; readonly context: FieldContext },
  read: (element: HTMLInputElement) => FieldValue,
): ElementNode => {
  const { request, actions } = place.context;
  const input = ({ currentTarget }: Event): void =>
    actions.fill(request.id, fieldName(place.field), read(currentTarget as HTMLInputElement));
  return withHooks(node, { on: { input } });
};

const lineView = (field: FormField, context: FieldContext): ViewNode => {
  const id = idOf(context, field);
  return h('div', { class: 'field' }, [
    h('label', { for: id }, labelOf(field, context)),
    filling(lineInput(field, context), { field, context }, (element) =>
      field.kind === 'choice' ? placesOf(element.value) : element.value,
    ),
    ...notesOf(field, context),
  ]);
};

const placesOf = (value: string): readonly number[] => (value === '' ? [] : [Number(value)]);

const lineInput = (field: FormField, context: FieldContext): ElementNode => {
  const shared = {
    id: idOf(context, field),
    ...described(field, context),
    'aria-required': field.isRequired && 'true',
  };
  if (field.kind === 'choice') return selectView(field, shared, context.texts);
  const value = typeof field.initial === 'string' ? field.initial : '';
  if (field.kind === 'long-text' || field.kind === 'json')
    return h('textarea', { ...shared, value, rows: 3, class: field.kind === 'json' ? 'mono' : undefined });
  if (field.kind === 'number' || field.kind === 'integer')
    return h('input', { ...shared, value, type: 'text', inputmode: field.kind === 'integer' ? 'numeric' : 'decimal' });
  return h('input', { ...shared, value, type: field.inputType, minlength: field.min, maxlength: field.max });
};

const selectView = (
  field: FormField,
  shared: Readonly<Record<string, string | boolean | undefined>>,
  texts: ChatTexts,
): ElementNode =>
  h('select', { ...shared }, [
    h('option', { value: '' }, [texts.choose]),
    ...field.choices.map(({ label }, index) =>
      h('option', { value: String(index), selected: isInitial(field, index) }, [label]),
    ),
  ]);

const isInitial = (field: FormField, index: number): boolean =>
  typeof field.initial === 'object' && field.initial.includes(index);

const checkView = (field: FormField, context: FieldContext): ViewNode => {
  const id = idOf(context, field);
  const box = h('input', { id, type: 'checkbox', checked: field.initial === true, ...described(field, context) });
  return h('div', { class: 'field' }, [
    h('div', { class: 'check' }, [
      filling(box, { field, context }, ({ checked }) => checked),
      h('label', { for: id }, [field.label || context.texts.yes]),
    ]),
    ...notesOf(field, context),
  ]);
};

const groupView = (field: FormField, context: FieldContext): ViewNode => {
  const id = idOf(context, field);
  const type = field.kind === 'choices' ? 'checkbox' : 'radio';
  const choices = field.choices.map(({ label }, index) =>
    h('div', { class: 'check' }, [
      h('input', { id: `${id}-${index}`, type, name: id, value: String(index), checked: isInitial(field, index) }),
      h('label', { for: `${id}-${index}` }, [label]),
    ]),
  );
  const group = h('fieldset', { class: 'field', ...described(field, context) }, [
    h('legend', {}, labelOf(field, context)),
    ...choices,
    ...notesOf(field, context),
  ]);
  return filling(group, { field, context }, (element) =>
    [...element.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => Number(value)),
  );
};
