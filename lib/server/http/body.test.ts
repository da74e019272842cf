import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readBody, validateQuery } from './body';

const schema = z.object({ text: z.string() });

function send(body: string | Buffer): Promise<{ text: string }> {
  const req = new IncomingMessage(new Socket());
  req.headers['content-type'] = 'application/json';
  req.push(body);
  req.push(null);
  return readBody(req, schema);
}

test.each(['{"text":"a😀b"}', '{"text":"\\ud83d\\ude00"}', '{"text":"\\ufffe\\t"}'])('takes %s', async (body) => {
  expect(await send(body)).toEqual(JSON.parse(body));
});

test.each([
  ['a high surrogate alone', '{"text":"a\\ud800"}'],
  ['a low surrogate alone', '{"text":"\\udfff"}'],
  ['two in the wrong order', '{"text":"\\ude00\\ud83d"}'],
  ['a NUL', '{"text":"a\\u0000"}'],
  ['one in a list', '{"text":"a","more":[{"deep":"\\ud800"}]}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['no JSON', '{'],
])('refuses %s', async (_name, body) => {
  await expect(send(body)).rejects.toMatchObject({ code: 'bad-request' });
});

test.each([{ text: 'a\0b' }, { text: 'a', more: ['b', '\0'] }])('refuses the query %j', (query) => {
  expect(() => validateQuery(query, schema)).toThrow('NUL');
  expect(validateQuery({ text: 'a', more: ['b'], none: undefined, constructor: [Array, 'c'] }, schema)).toEqual({
    text: 'a',
  });
});
