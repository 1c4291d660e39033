import type { ReactElement } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { useRead } from '../../api/use-call.ts';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';

export const HomePage = (): ReactElement => {
  const { whoAmI } = useAccess();
  const agents = useRead({
    key: ['ListResources', 'Agent'],
    call: (client, signal) =>
      client.resources.listResources({ kind: 'Agent', ns: '-', metadataOnly: true, pageSize: 100 }, { signal }),
    shows: { kinds: ['Agent'] },
  });
  return (
    <Page title={texts.title}>
      <Section title={texts.instance}>
        <Facts rows={[[texts.version, whoAmI.serverVersion]]} />
        {agents.isPending && <Loading />}
        {agents.error && <Problem error={agents.error} />}
        {agents.data && <Facts rows={[[texts.agents, String(agents.data.resources.length)]]} />}
      </Section>
    </Page>
  );
};
