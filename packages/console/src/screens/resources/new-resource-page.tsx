import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { ResourceEditor, skeletonOf } from './editor/index.ts';
import { addressOfResource } from './resource-data.ts';
import { texts } from './texts.ts';

/** A new resource of a kind, begun with the fields that it needs. */
export const NewResourcePage = (): ReactElement => {
  const { ns = '', kind = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <Page title={texts.newOne(kind)} isFilled>
      <ResourceEditor
        key={`${kind} ${ns}`}
        address={{ kind, ns, name: '', parent: '' }}
        resource={undefined}
        text={skeletonOf(kind, ns)}
        onSaved={(resource) => {
          const { ns: where, name, parent } = addressOfResource(resource);
          notify(texts.saved(name));
          void navigate({
            to: '/ns/$ns/resources/$kind/$name',
            params: { ns: where, kind, name },
            search: { parent: parent === '' ? undefined : parent },
          });
        }}
      />
    </Page>
  );
};
