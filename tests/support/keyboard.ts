import { expect, type Page } from '@playwright/test';

type Role = Parameters<Page['getByRole']>[0];

/** More stops than any screen has. */
const MOST_STOPS = 60;

/** What a screen reader says of the place that has focus, e.g. `button "Sign in"`; empty where nothing has. */
export async function focused(page: Page): Promise<string> {
  const spot = page.locator(':focus');
  if ((await spot.count()) === 0) return '';
  const [line = ''] = (await spot.ariaSnapshot()).split('\n');
  const [, named = ''] = /^- '?(\w+(?: "[^"]*")?)/.exec(line) ?? [];
  return named;
}

/** Presses Tab until this place has focus, once it is there. @param place as `focused` names it, with its name */
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

/** Goes to a field by Tab and types. */
export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, `textbox "${label}"`);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** Goes to a button or link by Tab and presses Enter. */
export async function press(page: Page, place: string): Promise<void> {
  await tabTo(page, place);
  await page.keyboard.press('Enter');
}
