import { text } from 'node:stream/consumers';
import { listen } from './listen';

/** Starts an endpoint that stores accepted requests. */
export async function startReceiver() {
  const accepted: string[] = [];
  let [refused, status] = [0, 200];
  const server = await listen((req, res) => {
    void text(req).then((body) => {
      if (status < 300) accepted.push(body);
      else refused += 1;
      res.writeHead(status).end();
    });
  });
  return {
    port: server.port,
    accepted,
    countRefused: () => refused,
    /** Responds with this status from now on. */
    answer: (next: number) => void (status = next),
    stop: () => server.stop(),
  };
}
