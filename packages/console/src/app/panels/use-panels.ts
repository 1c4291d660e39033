import { useNavigate, useSearch } from '@tanstack/react-router';
import { type OpenPanel, panelsOf, panelText } from './panel-text.ts';

interface Panels {
  readonly stack: readonly OpenPanel[];
  /** Opens a panel on top of the others; one that is open already comes back with nothing above it. */
  readonly open: (panel: OpenPanel) => void;
  /** Closes the newest. */
  readonly back: () => void;
  readonly closeAll: () => void;
}

/** The detail panels of the address. */
export const usePanels = (): Panels => {
  const { panel } = useSearch({ strict: false });
  const navigate = useNavigate();
  const stack = panelsOf(panel);
  const show = (next: readonly OpenPanel[]): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, panel: panelText(next) }) });
  return {
    stack,
    open: (next) => {
      const at = stack.findIndex(({ type, key }) => type === next.type && key === next.key);
      show(at === -1 ? [...stack, next] : stack.slice(0, at + 1));
    },
    back: () => show(stack.slice(0, -1)),
    closeAll: () => show([]),
  };
};
