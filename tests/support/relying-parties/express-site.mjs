import express from 'express';

const { PORT, ORIGIN = '', ISSUER = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

export const origin = ORIGIN;
export const issuer = ISSUER;
export const clientId = CLIENT_ID;
export const clientSecret = CLIENT_SECRET;

/** Creates a site behind a proxy, as the guides of these libraries describe it. */
export function createSite() {
  const site = express();
  site.set('trust proxy', true);
  return site;
}

/** @param {import('express').Express} site */
export const serve = (site) => site.listen(Number(PORT), '127.0.0.1');

/** @param {import('express').Response} res @param {string} answer the text that tests read */
export function sendAnswer(res, answer) {
  const escaped = answer.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  res.send(`<!doctype html><meta charset="utf-8"><title>School</title><p id="answer">${escaped}</p>`);
}

/** @param {{ name?: unknown, sub?: unknown }} claims */
export const describeUser = ({ name, sub }) => `Signed in as ${String(name)}, ${String(sub)}`;
