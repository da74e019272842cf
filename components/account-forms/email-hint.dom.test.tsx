import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useForm } from 'react-hook-form';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { useCarriedEmail } from './email-hint';

function Example({ focused = false, typed = '' }) {
  const form = useForm<{ email: string }>({ defaultValues: typed ? { email: typed } : undefined });
  useCarriedEmail(form);
  return <input aria-label="Email" autoFocus={focused} {...form.register('email')} />;
}
const value = () => screen.getByLabelText<HTMLInputElement>('Email').value;

beforeEach(() => carriedEmail.set('lena@campus.test'));
afterEach(() => {
  cleanup();
  carriedEmail.set('');
});

it('fills in the email of an earlier screen', () => {
  render(<Example />);
  expect(value()).toBe('lena@campus.test');
});

it('keeps what has been typed', () => {
  render(<Example typed="mia@campus.test" />);
  expect(value()).toBe('mia@campus.test');
});

it('does not fill a field that has the focus', () => {
  render(<Example focused />);
  expect(value()).toBe('');
});
