import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DetailFrame } from './detail-frame.tsx';
import styles from './inbox.module.css';
import { useDecideHeld, useSendEdited } from './inbox-data.ts';
import type { HeldItem } from './inbox-item.ts';
import { texts } from './texts.ts';

interface HeldDetailProps {
  readonly item: HeldItem;
  readonly onDone: () => void;
}

/** A reply that goes out only when a person says so. */
export const HeldDetail = (props: HeldDetailProps): ReactElement => {
  const { delivery } = props.item;
  const { ns, agent, sessionId } = delivery;
  const can = useCan();
  return (
    <DetailFrame
      item={props.item}
      trailId={delivery.id}
      facts={[
        [texts.connector, delivery.connector],
        [
          texts.agentName,
          agent === '' ? (
            ''
          ) : (
            <Goto key="agent" to={addresses.agent(ns, agent)}>
              {agent}
            </Goto>
          ),
        ],
        [
          texts.session,
          sessionId === '' ? (
            ''
          ) : (
            <Goto key="session" to={addresses.session(ns, agent, sessionId)}>
              {sessionId}
            </Goto>
          ),
        ],
      ]}
      answers={can('operator', { ns }) ? <HeldAnswers {...props} /> : undefined}
    >
      {null}
    </DetailFrame>
  );
};

/** Send as it is, edit and send, or skip. */
export const HeldAnswers = ({ item, onDone }: HeldDetailProps): ReactElement => {
  const { delivery } = item;
  const decide = useDecideHeld(onDone);
  const sendEdited = useSendEdited(onDone);
  const [text, setText] = useState<string>();
  const isBusy = decide.isPending || sendEdited.isPending;
  const isEdited = text !== undefined;
  const release = (): void => decide.mutate({ item, does: 'release' });
  const skip = (): void => decide.mutate({ item, does: 'skip' });
  useKey({ keys: 'a', does: texts.release, run: release }, !isEdited && !isBusy);
  useKey({ keys: 'd', does: texts.skip, run: skip }, !isEdited && !isBusy);
  useKey({ keys: 'e', does: texts.edit, run: () => setText(delivery.text) }, !isEdited && delivery.sessionId !== '');
  const error = decide.error ?? sendEdited.error;
  return (
    <>
      {isEdited && <TextArea label={texts.reply} value={text} onChange={setText} rows={6} autoFocus />}
      {error && <Problem error={error} />}
      <div className={styles.buttons}>
        {isEdited ? (
          <>
            <Button
              kind="primary"
              icon="send"
              isBusy={isBusy}
              disabled={text.trim() === ''}
              disabledReason={texts.blank}
              onClick={() => sendEdited.mutate({ delivery, text })}
            >
              {texts.sendEdited}
            </Button>
            <Button onClick={() => setText(undefined)}>{texts.cancelEdit}</Button>
          </>
        ) : (
          <>
            <Button kind="primary" icon="send" shortcut="a" isBusy={isBusy} onClick={release}>
              {texts.release}
            </Button>
            {delivery.sessionId !== '' && (
              <Button icon="edit" shortcut="e" onClick={() => setText(delivery.text)}>
                {texts.edit}
              </Button>
            )}
            <Button kind="danger" shortcut="d" isBusy={isBusy} onClick={skip}>
              {texts.skip}
            </Button>
          </>
        )}
      </div>
    </>
  );
};
