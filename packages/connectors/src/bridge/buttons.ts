import type { Adapter } from 'chat';
import type { Delivery } from '../kit/index.ts';
import type { ButtonForm, ChatConnector } from './chat-connector.ts';

type Postable = Exclude<Parameters<Adapter['postMessage']>[1], string>;
type Card = Extract<Postable, { readonly card: unknown }>;
type Button = { readonly type: 'button'; readonly id: string; readonly label: string };

/** A button of a question: the delivery that brought the question, and the number of the option. */
export interface PressedButton {
  readonly deliveryId: string;
  readonly number: string;
}

const ACTION = /^svc:([^:]+):(\d{1,2})$/;

/** The button of this id; undefined for one that svc did not make. */
export function pressedButton(actionId: string): PressedButton | undefined {
  const [, deliveryId, number] = ACTION.exec(actionId) ?? [];
  return deliveryId === undefined || number === undefined ? undefined : { deliveryId, number };
}

/** How the platform shows the options of a reply; undefined for a reply without options, or with more than the platform has buttons for. */
export function buttonForm({ buttons }: ChatConnector, { options }: Delivery): ButtonForm | undefined {
  return options.length === 0 || options.length > (buttons?.most ?? 0) ? undefined : buttons;
}

/** The end of a question with its buttons; undefined where its text does not fit above them, and is answered with a number. */
export function questionCard(form: ButtonForm, { id, options }: Delivery, markdown: string): Card | undefined {
  const content = form.textOf?.(markdown) ?? markdown;
  if (content.length > form.textLength) return undefined;
  const buttons = options.map(
    (option, index): Button => ({
      type: 'button',
      id: `svc:${id}:${index + 1}`,
      label: shortened(option, form.labelLength),
    }),
  );
  const rows = form.isOnePerRow === true ? buttons.map((button) => [button]) : [buttons];
  const actions = rows.map((children) => ({ type: 'actions' as const, children }));
  return { card: { type: 'card', children: [{ type: 'text', content }, ...actions] } };
}

/** Platforms refuse a button without a label, and one whose label is too long. */
function shortened(label: string, limit: number): string {
  const text = label.trim() === '' ? '...' : label.trim();
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`;
}
