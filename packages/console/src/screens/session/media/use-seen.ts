import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether an element has been in sight: rows are drawn a little before they are. */
export const useSeen = <E extends Element>(): readonly [RefObject<E | null>, boolean] => {
  const element = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null || isSeen) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return [element, isSeen];
};
