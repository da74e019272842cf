import { useEffect } from 'react';

/** Tells the early script that the page answers by itself now, and presses the button that waits for it. */
export function usePageReady(): void {
  useEffect(() => {
    document.documentElement.setAttribute('data-ready', '');
    const pressed = document.querySelector<HTMLButtonElement>('button[data-early]');
    pressed?.removeAttribute('data-early');
    pressed?.click();
  }, []);
}
