import { get } from 'node:http';

/**
 * Returns the size of a URL's first response in a browser, in bytes: headers, and the page in gzip.
 * @param {string} url
 * @returns {Promise<number>}
 */
export function fetchFirstAnswer(url) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      const { socket } = answer;
      answer.resume().once('end', () => resolve(socket.bytesRead));
    });
    request.once('error', reject);
  });
}
