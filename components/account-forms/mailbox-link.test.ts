import { expect, test } from 'vitest';
import { getMailboxSite } from './mailbox-link';

test.each([
  ['ada@gmail.com', 'Gmail'],
  ['Ada@GoogleMail.com', 'Gmail'],
  ['"@gmail.com"@outlook.com', 'Outlook'],
  ['ada@hotmail.co.uk', 'Outlook'],
])('the inbox of %s is at %s', (email, name) => {
  expect(getMailboxSite(email)?.name).toBe(name);
});

test.each(['ada@campus.test', 'ada@gmail.com.campus.test', 'ada@mail.gmail.com', 'gmail.com@', ''])(
  'the domain of %j does not tell',
  (email) => {
    expect(getMailboxSite(email)).toBeNull();
  },
);
