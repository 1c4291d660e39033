import { useAccess } from '../../access/access-context.ts';
import type { IconName } from '../../ui/icon.tsx';
import { useScope } from '../scope.ts';
import { screens } from '../screens.ts';
import { sectionAddress } from '../shell/section-address.ts';
import { texts } from '../texts.ts';

/** Something that the palette leads to. */
export interface Hit {
  readonly title: string;
  /** What it is, in one word. */
  readonly kind: string;
  readonly icon: IconName;
  readonly to: string;
}

const MOST = 40;

/** What matches the text, best first. */
export const useHits = (text: string): readonly Hit[] => {
  const scope = useScope();
  const { namespaces } = useAccess();
  const sections = screens
    .flatMap((screen) => screen.sections)
    .map((section) => ({
      title: section.label,
      kind: texts.goTo,
      icon: section.icon,
      to: sectionAddress(section, scope),
    }));
  const places = namespaces.rows.map(({ name }) => ({
    title: name,
    kind: texts.namespace,
    icon: 'layers' as const,
    to: `/ns/${encodeURIComponent(name)}/agents`,
  }));
  const wanted = text.trim().toLowerCase();
  return [...sections, ...places].filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, MOST);
};
