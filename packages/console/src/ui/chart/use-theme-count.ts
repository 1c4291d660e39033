import { useEffect, useState } from 'react';

/** A number that changes with the colours of the page, for what draws with colours instead of rules. */
export const useThemeCount = (): number => {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const change = (): void => setCount((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(change);
    system.addEventListener('change', change);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', change);
      chosen.disconnect();
    };
  }, []);
  return count;
};
