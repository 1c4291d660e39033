import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SessionOverridesSchema } from '@svc/api/data';
import type { Client, SessionKey } from '@svc/client';
import type { UseMutationResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useWrite } from '../../../api/use-call.ts';
import { hasRoomForPanel } from '../../../app/panels/has-room.ts';
import { usePanels } from '../../../app/panels/use-panels.ts';
import { notify } from '../../../ui/notices.tsx';
import type { ThreadMessage } from '../conversation/index.ts';
import { SESSION_PATH } from '../index.ts';
import { SESSION_PANEL, sessionText } from '../session-text.ts';
import { texts } from '../texts.ts';
import { filesOf } from './fork-point.ts';

/** A message that is asked once more in a fork. */
export interface Retry {
  readonly message: ThreadMessage;
  readonly text: string;
  /** Id of the last message that the fork takes along; undefined for a session that begins with this one. */
  readonly through: () => Promise<string | undefined>;
  /** Labels of the new session. */
  readonly labels: Readonly<Record<string, string>>;
  /** Name of one of the agent's models; '' for its own choice. */
  readonly profile: string;
  /** What the fork runs with in place of what its agent says. */
  readonly overrides?: MessageInitShape<typeof SessionOverridesSchema>;
}

interface SessionActions {
  /** Copies the messages up to the one with this id, '' for all, into a new session and shows it instead of this one. */
  readonly fork: UseMutationResult<SessionKey, Error, string>;
  /** Shows the new session; one with overrides next to this one where there is room. */
  readonly retry: UseMutationResult<SessionKey, Error, Retry>;
  readonly compact: UseMutationResult<void, Error, void>;
  readonly clear: UseMutationResult<void, Error, void>;
  readonly remove: UseMutationResult<void, Error, void>;
}

const TOPICS = { topics: ['session', 'turn'] };

/** What can be done with a whole session. */
export const useSessionActions = (key: SessionKey, onCleared: () => void): SessionActions => {
  const navigate = useNavigate();
  const { open } = usePanels();
  const show = (forked: SessionKey): void => {
    notify(texts.forked);
    void navigate({
      to: SESSION_PATH,
      params: { ns: forked.ns, agent: forked.agent, sessionId: forked.sessionId },
    });
  };
  const showInPanel = (forked: SessionKey): void => {
    notify(texts.forkedInPanel);
    open({ type: SESSION_PANEL, key: sessionText(forked) });
  };
  return {
    fork: useWrite(async (client: Client, through: string) => (await client.session(key).fork(through)).key, {
      onDone: show,
    }),
    retry: useWrite((client: Client, retry: Retry) => askAgain(client, key, retry), {
      // What runs with other values is compared with what there is.
      onDone: (forked, { overrides }) =>
        overrides !== undefined && hasRoomForPanel() ? showInPanel(forked) : show(forked),
    }),
    compact: useWrite((client: Client) => client.session(key).compact(), { onDone: () => notify(texts.compacted) }),
    clear: useWrite((client: Client) => client.session(key).clear({ stop: true }), {
      changes: TOPICS,
      onDone: onCleared,
    }),
    remove: useWrite((client: Client) => client.session(key).delete(), {
      changes: TOPICS,
      onDone: () => {
        notify(texts.removed);
        void navigate({ to: '/ns/$ns/sessions', params: { ns: key.ns }, search: { agent: key.agent } });
      },
    }),
  };
};

const askAgain = async (client: Client, key: SessionKey, retry: Retry): Promise<SessionKey> => {
  const { message, text, profile } = retry;
  const through = await retry.through();
  const labels = { ...retry.labels };
  const made =
    through === undefined
      ? await client.gateway.createSession({ ns: key.ns, agent: key.agent, ...overriding(retry), labels })
      : await client.sessionControl.forkSession({ ...key, throughMessageId: through, ...overriding(retry), labels });
  const forked = { ns: key.ns, agent: key.agent, sessionId: made.sessionId };
  await client.session(forked).send(text, {
    parts: filesOf(message),
    ...(profile === '' ? {} : { labels: { 'model-profile': profile } }),
  });
  return forked;
};

const overriding = ({ overrides }: Retry) => (overrides === undefined ? {} : { overrides });
