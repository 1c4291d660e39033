import type { SessionKey } from '@svc/client';
import { addresses } from '../../../app/address.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import type { MenuItem } from '../../../ui/menu.tsx';
import { type Conversation, type ThreadMessage, wordsOf } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import { askedBefore } from './fork-point.ts';
import type { useSessionActions } from './use-session-actions.ts';

interface MessageItems {
  readonly session: SessionKey;
  readonly conversation: Conversation;
  readonly actions: ReturnType<typeof useSessionActions>;
  readonly messages: readonly ThreadMessage[];
  readonly mayWrite: boolean;
  readonly mayOverride: boolean;
  readonly onRetry: (message: ThreadMessage) => void;
  readonly onTry: (message: ThreadMessage) => void;
  /** Shows a turn in the timeline. */
  readonly onTurn: (turnId: string) => void;
}

/** What can be done with one message. */
export const messageItems = (given: MessageItems): ((message: ThreadMessage) => readonly MenuItem[]) => {
  const { session, messages, conversation, actions, mayWrite, mayOverride, onRetry, onTry, onTurn } = given;
  return (message) => {
    const asked = message.role === 'user' ? message : askedBefore(messages, message.id);
    const turn = message.labels['svc/turn'];
    const again = (retried: ThreadMessage): void =>
      actions.retry.mutate({
        message: retried,
        text: wordsOf(retried),
        through: () => conversation.idBefore(retried.id),
        labels: {},
        profile: '',
      });
    const items: readonly (MenuItem | false)[] = [
      { label: texts.copyText, icon: 'copy', onSelect: () => void copyText(wordsOf(message), 'text') },
      mayWrite && { label: texts.fork, icon: 'fork', onSelect: () => actions.fork.mutate(message.id) },
      mayWrite && asked !== undefined && { label: texts.edit, icon: 'edit', onSelect: () => onRetry(asked) },
      mayOverride && asked !== undefined && { label: texts.tryChanges, icon: 'play', onSelect: () => onTry(asked) },
      mayWrite &&
        asked !== undefined &&
        message.role === 'assistant' && { label: texts.regenerate, icon: 'retry', onSelect: () => again(asked) },
      turn !== undefined && {
        label: texts.seeTurn,
        icon: 'clock',
        onSelect: () => onTurn(turn),
      },
      {
        label: texts.copyLink,
        icon: 'external',
        onSelect: () => void copyText(linkTo(session, message.id), 'link'),
      },
    ];
    return items.filter((item) => item !== false);
  };
};

const linkTo = ({ ns, agent, sessionId }: SessionKey, messageId: string): string =>
  location.origin + addresses.message(ns, agent, { sessionId, messageId });
