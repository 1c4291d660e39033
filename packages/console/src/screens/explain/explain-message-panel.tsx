import { type ReactElement, useState } from 'react';
import { useAccess, useCan } from '../../access/access-context.ts';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SubscriptionList } from './answers.tsx';
import styles from './explain.module.css';
import { useExplainMessage, useManualNames } from './explain-data.ts';
import { explainableOf } from './explain-key.ts';
import { texts } from './texts.ts';

/** What would happen to a message of a channel. */
export const ExplainMessagePanel = ({ panelKey }: PanelProps): ReactElement => {
  const channel = explainableOf(panelKey);
  const { ns, name } = channel;
  const { whoAmI } = useAccess();
  const mayAsk = useCan()('operator', { ns, channel: name });
  const [content, setContent] = useState('');
  const [author, setAuthor] = useState(whoAmI.identity);
  const [isOfAgent, setOfAgent] = useState(false);
  const [hops, setHops] = useState('0');
  const [called, setCalled] = useState<readonly string[]>([]);
  const manual = useManualNames(channel);
  const explain = useExplainMessage(channel);
  return (
    <div className={styles.panel}>
      <div className={styles.title}>
        <h2>{texts.title}</h2>
        <CopyMenu
          command={`svc channel explain ${name} "hello" -n ${ns}`}
          path={`/v1/ns/${ns}/channels/${name}/messages:explain`}
        />
      </div>
      <form
        className={styles.form}
        aria-label={texts.title}
        onSubmit={(event) => {
          event.preventDefault();
          explain.mutate({ content, author, isOfAgent, hops: Number(hops), subscriptionNames: called });
        }}
      >
        <TextArea label={texts.message} value={content} onChange={setContent} rows={2} autoFocus />
        <TextField label={texts.author} value={author} onChange={setAuthor} />
        <Checkbox label={texts.asAgent} checked={isOfAgent} onChange={setOfAgent} />
        {isOfAgent && (
          <TextField label={texts.hops} hint={texts.hopsHint} type="number" value={hops} onChange={setHops} />
        )}
        {manual.data?.map((subscription) => (
          <Checkbox
            key={subscription}
            label={texts.call(subscription)}
            checked={called.includes(subscription)}
            onChange={(isOn) =>
              setCalled(isOn ? [...called, subscription] : called.filter((other) => other !== subscription))
            }
          />
        ))}
        <div className={styles.head}>
          <Button
            kind="primary"
            icon="play"
            type="submit"
            isBusy={explain.isPending}
            disabled={!mayAsk || content.trim() === ''}
            disabledReason={mayAsk ? texts.writeFirst : texts.noRight}
          >
            {texts.ask}
          </Button>
          <span className={styles.soft}>{texts.nothingDone}</span>
        </div>
      </form>
      {explain.error && <Problem error={explain.error} />}
      <div role="status" className={styles.answer}>
        {explain.data && <SubscriptionList ns={ns} verdicts={explain.data.subscriptions} />}
      </div>
    </div>
  );
};
