import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderForBrand } from '@/tests/support/render';
import { AuthLayout } from './auth-layout';

afterEach(cleanup);

const LOGO = 'https://north.test/logo.svg';
const PICTURE = 'https://north.test/picture.webp';
const PAGE = <AuthLayout heading="Sign in">form</AuthLayout>;
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
