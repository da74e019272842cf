import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useForm } from 'react-hook-form';
import { useFirstFocus } from '../../lib/browser/hooks';

function Example({ begun = false }) {
  const form = useForm<{ email: string; password: string }>();
  useFirstFocus('email');
  return (
    <form>
      <input aria-label="Email" {...form.register('email')} />
      <input aria-label="Password" autoFocus={begun} {...form.register('password')} />
    </form>
  );
}
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

afterEach(cleanup);

it('moves to the first field', () => {
  render(<Example />);
  expect(document.activeElement).toBe(screen.getByLabelText('Email'));
});

it('does not move the focus if another field was used first', () => {
  render(<Example begun />);
  expect(document.activeElement).toBe(screen.getByLabelText('Password'));
});

it('does not take the focus from another field later', async () => {
  render(<Example />);
  screen.getByLabelText('Password').focus();
  await nextTask();
  expect(document.activeElement).toBe(screen.getByLabelText('Password'));
});
