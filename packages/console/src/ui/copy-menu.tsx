import type { ReactElement } from 'react';
import { copyText } from './copy-text.ts';
import { Menu } from './menu.tsx';

interface CopyMenuProps {
  /** Command line that shows or does the same, e.g. `svc get agent demo -n default`. */
  readonly command?: string;
  /** Path of the REST operation that answers it, e.g. `/v1/ns/default/agents/demo`. */
  readonly path?: string;
  /** The thing itself as YAML. */
  readonly yaml?: (() => string | Promise<string>) | undefined;
}

/** Everything on a screen can be taken elsewhere: as address, command, request or text. */
export const CopyMenu = ({ command, path, yaml }: CopyMenuProps): ReactElement => {
  const items = [
    { label: 'Link', text: () => location.href },
    ...(command === undefined ? [] : [{ label: 'Command', text: () => command }]),
    ...(path === undefined ? [] : [{ label: 'curl', text: () => `curl -s '${location.origin}${path}'` }]),
    ...(yaml === undefined ? [] : [{ label: 'YAML', text: yaml }]),
  ];
  return (
    <Menu
      label="Copy as"
      icon="copy"
      items={items.map(({ label, text }) => ({ label, onSelect: async () => copyText(await text(), label) }))}
    />
  );
};
