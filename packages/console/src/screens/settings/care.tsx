import type { DoctorCheck } from '@svc/api/gateway';
import { type ReactElement, useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { sizeText } from '../../ui/time-texts.ts';
import styles from './settings.module.css';
import { useBackup, useDoctor, useRotateKey } from './settings-data.ts';
import { texts } from './texts.ts';

/** What keeps an installation well: checks, a backup, a new key. */
export const Care = ({ mayChange }: { readonly mayChange: boolean }): ReactElement => {
  const [online, setOnline] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const doctor = useDoctor();
  const backup = useBackup();
  const rotation = useRotateKey();
  const error = doctor.error ?? backup.error ?? rotation.error;
  return (
    <Section title={texts.care}>
      <div className={styles.row}>
        <Button icon="check" isBusy={doctor.isPending} onClick={() => doctor.mutate(online)}>
          {texts.doctor}
        </Button>
        <Checkbox label={texts.doctorOnline} checked={online} onChange={setOnline} />
        {mayChange && (
          <>
            <Button icon="download" isBusy={backup.isPending} onClick={() => backup.mutate()}>
              {texts.backup}
            </Button>
            <Button icon="key" isBusy={rotation.isPending} onClick={() => setIsAsked(true)}>
              {texts.rotate}
            </Button>
          </>
        )}
      </div>
      {error && <Problem error={error} />}
      {backup.data && (
        <div role="status">
          <Facts
            rows={[
              [texts.backedUp, backup.data.path],
              [texts.size, sizeText(Number(backup.data.sizeBytes))],
              [texts.sha, <code key="sha">{backup.data.sha256}</code>],
            ]}
          />
        </div>
      )}
      {rotation.data && (
        <p role="status">
          {texts.rotated} <code>{rotation.data.keyId}</code>
        </p>
      )}
      {doctor.data && <Checks checks={doctor.data.checks} />}
      {isAsked && (
        <Confirm
          title={texts.rotateTitle}
          action={texts.rotate}
          onConfirm={() => rotation.mutate()}
          onClose={() => setIsAsked(false)}
        >
          {texts.rotateText}
        </Confirm>
      )}
    </Section>
  );
};

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', warn: 'warn', fail: 'bad' };

const Checks = ({ checks }: { readonly checks: readonly DoctorCheck[] }): ReactElement => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div className={styles.scroll} tabIndex={0}>
    <table className={styles.table}>
      <thead>
        <tr>
          {[texts.result, texts.check, texts.detail, texts.remedy].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {checks.map(({ name, result, detail, remedy }) => (
          <tr key={name}>
            <td>
              <Badge tone={TONES[result] ?? 'calm'}>{result}</Badge>
            </td>
            <th scope="row">{name}</th>
            <td>{detail}</td>
            <td>{remedy}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
