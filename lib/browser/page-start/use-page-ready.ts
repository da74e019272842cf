import { useEffect } from 'react';

/**
 * Signals to the early script that React handles events from now on, and clicks the button it recorded. In a separate
 * task: React hydrates the boundary around a clicked button only while it is not rendering.
 */
export function usePageReady(): void {
  useEffect(() => {
    document.documentElement.setAttribute('data-ready', '');
    const pressed = document.querySelector<HTMLButtonElement>('button[data-early]');
    pressed?.removeAttribute('data-early');
    setTimeout(() => pressed?.click());
  }, []);
}
