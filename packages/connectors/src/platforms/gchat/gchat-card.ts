import type { GoogleChatEvent } from '@chat-adapter/gchat';
import { escapedText } from '../escaped-text.ts';

/** The parts of cards that are read here; everything else stays as it is. */
interface CardWithId {
  readonly card?: { readonly sections?: readonly { readonly widgets?: readonly Widget[] }[] };
}

interface Widget {
  readonly buttonList?: { readonly buttons?: readonly Button[] };
  readonly textParagraph?: { readonly text: string };
}

interface Button {
  readonly text?: string;
  readonly onClick?: {
    readonly action?: { readonly parameters?: readonly { readonly key: string; readonly value: string }[] };
  };
}

/** The text of a question as a card shows it: simple HTML. */
export const cardText = (markdown: string): string =>
  escapedText(markdown)
    .replaceAll(/\*\*(.+?)\*\*/g, '<b>$1</b>')
    .replaceAll('\n', '<br>');

/**
 * The cards of a question after its answer: who chose what, in place of the buttons. Undefined for an event that brings no card with the button
 * that was pressed.
 */
export function answeredCards({ chat, commonEventObject }: GoogleChatEvent): readonly CardWithId[] | undefined {
  const message = chat?.buttonClickedPayload?.message as { readonly cardsV2?: readonly CardWithId[] } | undefined;
  const cards = message?.cardsV2 ?? [];
  const pressed = commonEventObject?.parameters?.['actionId'];
  const buttons = cards
    .flatMap(({ card }) => card?.sections ?? [])
    .flatMap(({ widgets }) => (widgets ?? []).flatMap(buttonsOf));
  const button = buttons.find(({ onClick }) =>
    onClick?.action?.parameters?.some(({ key, value }) => key === 'actionId' && value === pressed),
  );
  if (button === undefined) return undefined;
  const answer = { textParagraph: { text: escapedText(`${chat?.user?.displayName ?? ''}: ${button.text ?? ''}`) } };
  return cards.map((each) => withAnswer(each, answer));
}

const buttonsOf = ({ buttonList }: Widget): readonly Button[] => buttonList?.buttons ?? [];

function withAnswer(given: CardWithId, answer: Widget): CardWithId {
  const sections = (given.card?.sections ?? []).map((section) => ({
    ...section,
    widgets: (section.widgets ?? []).map((widget) => (widget.buttonList === undefined ? widget : answer)),
  }));
  return { ...given, card: { ...given.card, sections } };
}
