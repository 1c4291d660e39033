import { SvcChat } from '@svc/widget/react';
import { createElement, type ReactElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A page of React with the chat, which it renames and takes away, and whose answers it counts. */
const Page = ({ server }: { readonly server: string }): ReactElement => {
  const [heading, setHeading] = useState('One');
  const [heard, setHeard] = useState(0);
  const [isThere, setIsThere] = useState(true);
  const getToken = async (): Promise<string> => (await fetch(`/token${location.search}`, { method: 'POST' })).text();
  const chat = createElement(SvcChat, { server, heading, getToken, onMessage: () => setHeard((count) => count + 1) });
  return createElement(
    'main',
    null,
    createElement('h1', null, 'A site'),
    createElement('button', { type: 'button', onClick: () => setHeading('Two') }, 'Rename'),
    createElement('button', { type: 'button', onClick: () => setIsThere(false) }, 'Take away'),
    createElement('p', null, `Heard ${heard}`),
    isThere ? chat : null,
  );
};

const place = document.querySelector('[data-server]');
if (place instanceof HTMLElement)
  createRoot(place).render(createElement(Page, { server: place.dataset['server'] ?? '' }));
