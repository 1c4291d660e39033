import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { valueLines, valuesOf } from '../../ui/value-lines.ts';
import { EventAnswer } from './answers.tsx';
import styles from './explain.module.css';
import { useExplainEvent, useMatchFields } from './explain-data.ts';
import { type Explainable, explainableOf } from './explain-key.ts';
import { texts } from './texts.ts';

/** What would happen to a message of the platform of a connector. */
export const ExplainEventPanel = ({ panelKey }: PanelProps): ReactElement => {
  const { ns, name } = explainableOf(panelKey);
  const found = useMatchFields({ ns, name });
  return (
    <div className={styles.panel}>
      <div className={styles.title}>
        <h2>{texts.title}</h2>
        <CopyMenu
          command={`svc connector explain ${name} "hello" -n ${ns}`}
          path={`/v1/ns/${ns}/connectors/${name}/message-events:explain`}
        />
      </div>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <EventForm key={panelKey} connector={{ ns, name }} matchFields={found.data} />}
    </div>
  );
};

interface EventFormProps {
  readonly connector: Explainable;
  readonly matchFields: Readonly<Record<string, string>>;
}

const EventForm = ({ connector, matchFields }: EventFormProps): ReactElement => {
  const [text, setText] = useState('hello');
  const [lines, setLines] = useState(() => valueLines(matchFields));
  const [conversation, setConversation] = useState('');
  const [thread, setThread] = useState('');
  const [sender, setSender] = useState('');
  const [senderKind, setSenderKind] = useState('user');
  const explain = useExplainEvent(connector);
  const mayAsk = useCan()('operator', { ns: connector.ns });
  return (
    <>
      <form
        className={styles.form}
        aria-label={texts.title}
        onSubmit={(event) => {
          event.preventDefault();
          explain.mutate({ text, matchFields: valuesOf(lines), conversation, thread, sender, senderKind });
        }}
      >
        <TextArea label={texts.message} value={text} onChange={setText} rows={2} autoFocus />
        <TextArea label={texts.matchFields} hint={texts.matchHint} value={lines} onChange={setLines} rows={2} />
        <div className={styles.row}>
          <TextField label={texts.conversation} value={conversation} onChange={setConversation} />
          <TextField label={texts.thread} value={thread} onChange={setThread} />
        </div>
        <div className={styles.row}>
          <TextField label={texts.sender} value={sender} onChange={setSender} />
          <TextField label={texts.senderKind} value={senderKind} onChange={setSenderKind} />
        </div>
        <div className={styles.head}>
          <Button
            kind="primary"
            icon="play"
            type="submit"
            isBusy={explain.isPending}
            disabled={!mayAsk}
            disabledReason={texts.noRight}
          >
            {texts.ask}
          </Button>
          <span className={styles.soft}>{texts.nothingDone}</span>
        </div>
      </form>
      {explain.error && <Problem error={explain.error} />}
      <div role="status" className={styles.answer}>
        {explain.data && <EventAnswer answer={explain.data} />}
      </div>
    </>
  );
};
