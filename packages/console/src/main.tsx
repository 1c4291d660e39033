import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme } from './ui/theme.ts';

applyTheme();
const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no element with the id "root"');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
