import { readFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string };
type Place = { host: string; httpsPort: number; authority: string };

/**
 * Sends a request by https to a proxy on this machine, for any host.
 * @param place `authority`: file with the certificate to trust
 * @throws the error of a connection that is closed without a response
 */
export function askByHttps(
  { host, httpsPort, authority }: Place,
  method: string,
  path: string,
  { headers = {}, body = '' }: { headers?: RequestOptions['headers']; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const place = { host: '127.0.0.1', port: httpsPort, servername: host, ca: readFileSync(authority), agent: false };
    const sent = request({ ...place, method, path, headers: { host, ...headers } } as RequestOptions, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}
