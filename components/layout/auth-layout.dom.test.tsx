import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { writeCookie } from '@/lib/browser/cookies';
import { renderForBrand } from '@/tests/support/render';
import { AuthLayout } from './auth-layout';

afterEach(() => {
  cleanup();
  writeCookie('callbackUrl', '', 'localhost');
});

const LOGO = 'https://north.test/logo.svg';
const PICTURE = 'https://north.test/picture.webp';
const PAGE = (
  <AuthLayout heading="Sign in">
    <p>form</p>
  </AuthLayout>
);
const getImages = () => [...document.querySelectorAll('img')].map(({ src }) => src);

it('shows the logo of the brand, and beside the page its picture and headline', () => {
  const brand = { logo: LOGO, showSplitScreen: true, splitScreenPicture: PICTURE, splitScreenHeadline: 'Go north.' };
  renderForBrand(brand, PAGE);
  expect(getImages()).toEqual([LOGO, PICTURE]);
  expect(screen.getByRole('complementary').textContent).toBe('Go north.');
  expect(document.querySelector('aside svg, header svg[viewBox="0 0 32 32"]')).toBeNull();
});

it('shows our own mark and picture where the brand has none', () => {
  renderForBrand({ showSplitScreen: true }, PAGE);
  expect(getImages()).toEqual([]);
  expect(document.querySelectorAll('aside svg, header svg[viewBox="0 0 32 32"]')).toHaveLength(2);
});

it('shows no picture where the brand does not split the screen', () => {
  renderForBrand({ splitScreenPicture: PICTURE, splitScreenHeadline: 'Go north.' }, PAGE);
  expect(getImages()).toEqual([]);
  expect(document.querySelector('aside')).toBeNull();
});

it.each([
  ['a page without a lead of its own', undefined, 1],
  ['one that has none at present', null, 1],
  ['one that does not know it yet', '', 0],
  ['one with a lead', 'Enter your email.', 1],
])('%s says once at most where the learner goes on', (_page, lead, times) => {
  writeCookie('callbackUrl', 'http://localhost:3001/lessons/1', 'localhost');
  renderForBrand(
    {},
    <AuthLayout heading="Sign in" lead={lead}>
      <p>form</p>
    </AuthLayout>,
  );
  expect(screen.queryAllByText(/^You'll continue to/)).toHaveLength(times);
});

it('takes the email that was typed along to the check of the browser, which leads back', () => {
  renderForBrand(
    {},
    <AuthLayout heading="Sign in">
      <input name="email" defaultValue="mia@campus.test" />
    </AuthLayout>,
  );
  const link = screen.getByRole('link', { name: 'Check this browser' });
  // The page stays.
  link.addEventListener('click', (event) => event.preventDefault());
  fireEvent.click(link);
  expect(carriedEmail.get()).toBe('mia@campus.test');
  carriedEmail.forget();
});
