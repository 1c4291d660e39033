import { create } from '@bufbuild/protobuf';
import { ResourceSchema } from '@svc/api/resources';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { ReviewView } from './review-view.tsx';

const agent = create(ResourceSchema, {
  kind: 'Agent',
  status: {
    kind: {
      case: 'agent',
      value: {
        phase: 'Degraded',
        conditions: [
          { type: 'Ready', status: 'False', reason: 'Unavailable', message: 'telescope' },
          { type: 'FeaturesAvailable', status: 'False', reason: 'Missing', message: 'telescope' },
          { type: 'ModelsAvailable', status: 'True', reason: 'Available' },
        ],
      },
    },
  },
});

const shown = (after: string): string =>
  renderToStaticMarkup(
    <ReviewView
      before="a: 1"
      after={after}
      resource={agent}
      isNew={false}
      isSaving={false}
      error={null}
      onBack={() => undefined}
      onSave={() => undefined}
    />,
  );

describe('ReviewView', () => {
  it('says how the resource will be, and why it will not be ready', () => {
    const html = shown('a: 2');
    expect(html).toContain('Degraded');
    expect(html).toContain('<strong>FeaturesAvailable</strong> Missing: telescope');
    expect(html).not.toContain('ModelsAvailable');
    expect(html).toMatch(/aria-disabled="false"[^>]*>Save</);
  });

  it('saves nothing where nothing changes', () => {
    expect(shown('a: 1')).toMatch(/aria-disabled="true"[^>]*>Save</);
    expect(shown('a: 1')).toContain('<p>Nothing changes</p>');
  });
});
