import { useLayoutEffect, type RefObject } from 'react';

/** The forms of the server's document. Forms are removed once their input was taken over. */
let early: HTMLFormElement[] = typeof document === 'undefined' ? [] : [...document.forms];
/** The element that had focus when the form was rendered. */
let focused: Element | null = null;

/**
 * Keeps input from before hydration if React renders the form again instead of hydrating it. This happens if an
 * extension added an element, or the page was translated (React error 418). The replaced form still has its values.
 */
export function useEarlyInput(form: RefObject<HTMLFormElement | null>): void {
  // Read the focus here, because React removes it with the replaced form.
  if (early.length > 0) focused = document.activeElement;
  useLayoutEffect(() => {
    const { current } = form;
    if (!current || early.length === 0) return;
    const before = early.find((other) => other === current || (!other.isConnected && hasSameFields(other, current)));
    early = early.filter((other) => other !== before);
    if (before && before !== current) takeOver(before, current);
    // Runs once, at hydration.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
}

const getInputs = (form: HTMLFormElement) =>
  // Skips inputs of extensions.
  [...form.querySelectorAll('input')].filter(({ name, type }) => name !== '' || type === 'checkbox');

function hasSameFields(one: HTMLFormElement, other: HTMLFormElement): boolean {
  const [names, others] = [one, other].map((form) => getInputs(form).map(({ name }) => name));
  return others?.every((name) => names?.includes(name)) === true;
}

function takeOver(before: HTMLFormElement, form: HTMLFormElement): void {
  for (const input of getInputs(form)) {
    const old = getInputs(before).find(({ name, type }) => name === input.name && type === input.type);
    if (!old) continue;
    if (old.checked !== old.defaultChecked && old.checked !== input.checked) input.click();
    if (old.value !== old.defaultValue && old.type !== 'checkbox') {
      // React ignores an event for a value that was set through its own property.
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, old.value);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
    if (old !== focused) continue;
    input.focus();
    // An email field has no selection and keeps its cursor at the end.
    if (old.selectionStart !== null) input.setSelectionRange(old.selectionStart, old.selectionEnd);
  }
  // The form was submitted before hydration.
  if (before.hasAttribute('data-early')) form.setAttribute('data-early', '');
}
