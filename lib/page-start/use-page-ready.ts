import { useEffect } from 'react';

/**
 * Tells the early script that the page answers by itself now, and presses the button that waits for it: in a task of its
 * own, as React only brings to life what is pressed while it is doing nothing else.
 */
export function usePageReady(): void {
  useEffect(() => {
    document.documentElement.setAttribute('data-ready', '');
    const pressed = document.querySelector<HTMLButtonElement>('button[data-early]');
    pressed?.removeAttribute('data-early');
    setTimeout(() => pressed?.click());
  }, []);
}
