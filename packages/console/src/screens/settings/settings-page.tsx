import type { ReactElement } from 'react';
import { useState } from 'react';
import { useAccess, useCan } from '../../access/access-context.ts';
import { isAllowed } from '../../access/grant-rules.ts';
import { Facts } from '../../ui/facts.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { applyTheme, readTheme, type Theme } from '../../ui/theme.ts';
import { switchTimes, useAbsoluteTimes } from '../../ui/time.tsx';
import { Care } from './care.tsx';
import { Configuration } from './configuration.tsx';
import { texts } from './texts.ts';

/** How this installation is set and how it is; how the page looks. */
export const SettingsPage = (): ReactElement => {
  const { whoAmI } = useAccess();
  const can = useCan();
  const isAdmin = isAllowed({ grants: whoAmI.grants, ancestorsOf: () => [] }, 'admin', { isEverywhere: true });
  return (
    <Page title={texts.title}>
      <Section title={texts.page}>
        <Looks />
      </Section>
      <Section title={texts.instance}>
        <Facts rows={[[texts.version, whoAmI.serverVersion]]} />
        {!isAdmin && <p>{texts.adminsOnly}</p>}
      </Section>
      {isAdmin && (
        <>
          <Care mayChange={can('admin', { isEverywhere: true })} />
          <Configuration />
        </>
      )}
    </Page>
  );
};

const THEMES = (['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts[value] }));
const TIMES = (['relative', 'absolute'] as const).map((value) => ({ value, label: texts[value] }));

const Looks = (): ReactElement => {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const times = useAbsoluteTimes() ? 'absolute' : 'relative';
  return (
    <Facts
      rows={[
        [
          texts.theme,
          <Segments
            key="theme"
            label={texts.theme}
            value={theme}
            options={THEMES}
            onChange={(next) => {
              applyTheme(next);
              setTheme(next);
            }}
          />,
        ],
        [
          texts.times,
          <Segments
            key="times"
            label={texts.times}
            value={times}
            options={TIMES}
            onChange={(next) => {
              if (next !== times) switchTimes();
            }}
          />,
        ],
      ]}
    />
  );
};
