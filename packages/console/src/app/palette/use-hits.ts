import { findKindFacts } from '@svc/api/kinds';
import { useRouter } from '@tanstack/react-router';
import { useAccess } from '../../access/access-context.ts';
import { useRead } from '../../api/use-call.ts';
import type { IconName } from '../../ui/icon.tsx';
import { EVERYWHERE, useScope } from '../scope.ts';
import { screens } from '../screens.ts';
import { sectionAddress } from '../shell/section-address.ts';
import { texts } from '../texts.ts';
import { addressOfThing } from './thing-address.ts';

/** Something that the palette leads to. */
export interface Hit {
  readonly title: string;
  /** The title with what was found in it, where it is an excerpt. */
  readonly pieces?: readonly { readonly text: string; readonly found: boolean }[];
  /** What it is, in one word. */
  readonly kind: string;
  readonly icon: IconName;
  readonly to: string;
}

const MOST = 40;
/** Names of each kind that are looked through. */
const NAMES = 1_000;

/** Kinds that people look for by name, with their drawing. */
const NAMED_KINDS: Readonly<Record<string, IconName>> = {
  Agent: 'agent',
  Workflow: 'flow',
  Channel: 'channel',
  Connector: 'plug',
  Schedule: 'clock',
  Task: 'task',
  Knowledge: 'book',
  Skill: 'spark',
  Secret: 'key',
  McpServer: 'tools',
  Deployment: 'layers',
  Template: 'layers',
  UsagePolicy: 'chart',
  Sandbox: 'box',
};

/** What matches the text, best first. */
export const useHits = (text: string): readonly Hit[] => {
  const scope = useScope();
  const { namespaces } = useAccess();
  const things = useThings();
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
  return [...sections, ...places, ...things].filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, MOST);
};

const useThings = (): readonly Hit[] => {
  const router = useRouter();
  const kinds = Object.keys(NAMED_KINDS);
  const found = useRead({
    key: ['names for the palette'],
    call: async (client, signal) => {
      const asked = { ns: EVERYWHERE, metadataOnly: true, pageSize: NAMES };
      const pages = await Promise.all(
        kinds.map((kind) => client.resources.listResources({ ...asked, kind }, { signal })),
      );
      return pages.flatMap(({ resources }) => resources);
    },
    shows: { kinds },
  });
  return (found.data ?? []).map(({ kind, metadata }) => {
    const { namespace: ns = '', name = '' } = metadata ?? {};
    const { plural = '' } = findKindFacts(kind) ?? {};
    return {
      title: `${ns}/${name}`,
      kind,
      icon: NAMED_KINDS[kind] ?? 'box',
      to: addressOfThing({ kind, plural, ns, name }, Object.keys(router.routesByPath)),
    };
  });
};
