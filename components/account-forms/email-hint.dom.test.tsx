import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useForm } from 'react-hook-form';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { renderWithTexts } from '@/tests/support/render';
import { EmailRequestForm } from './email-request-form';
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

it('leaves the focus at the email when a suggestion is taken', async () => {
  carriedEmail.set('');
  const user = userEvent.setup();
  const env = parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9', NEXT_PUBLIC_MAILBOX_DOMAINS: 'campus.test' });
  renderWithTexts(
    <PublicEnvProvider value={getPublicEnv(env)}>
      <EmailRequestForm
        texts={{ form: 'Example', send: 'Send', sending: 'Sending' }}
        request={() => Promise.resolve(null)}
      />
    </PublicEnvProvider>,
  );
  await user.type(screen.getByLabelText('Email'), 'mia@campsu.test');
  await user.click(await screen.findByRole('button', { name: 'mia@campus.test' }));
  expect(value()).toBe('mia@campus.test');
  expect(document.activeElement).toBe(screen.getByLabelText('Email'));
});
