import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, prepare } from './app/app.tsx';
import { applyTheme } from './ui/theme.ts';

applyTheme();
const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no element with the id "root"');

/** With a server that takes longer, the page is drawn and says that it is connecting. */
const WAIT_MS = 400;

await Promise.race([prepare(), new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
