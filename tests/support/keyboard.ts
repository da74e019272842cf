import { expect, type Page } from '@playwright/test';

type Role = Parameters<Page['getByRole']>[0];

/** More tab stops than any screen has. */
const MOST_STOPS = 60;

/** A screen reader's name for the focused element, e.g. `button "Sign in"`; empty if nothing has focus. */
export async function focused(page: Page): Promise<string> {
  const spot = page.locator(':focus');
  if ((await spot.count()) === 0) return '';
  const [line = ''] = (await spot.ariaSnapshot()).split('\n');
  const [, named = ''] = /^- '?(\w+(?: "[^"]*")?)/.exec(line) ?? [];
  return named;
}

/** Presses Tab until this element has focus, once it exists. @param place as `focused` returns it */
export async function tabTo(page: Page, place: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const [, role = '', name = ''] = /^(\w+) "(.+)"$/.exec(place) ?? [];
  await expect(page.getByRole(role as Role, { name, exact: true }).first()).toBeVisible();
  const met: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press(key);
    const here = await focused(page);
    if (here === place) return;
    met.push(here);
  }
  expect(met, `Tab never comes to ${place}`).toContain(place);
}

/** Moves to a field with Tab and types. */
export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, `textbox "${label}"`);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** Moves to a button or link with Tab and presses Enter. */
export async function press(page: Page, place: string): Promise<void> {
  await tabTo(page, place);
  await page.keyboard.press('Enter');
}
