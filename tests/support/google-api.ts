import type { BrowserContext } from '@playwright/test';

/** Paths of Google's loader and of the library that it loads, whose path contains its version. */
const LOADER = '/js/api.js';
const LIBRARY = '/_/scs/abc-static/_/js/k=gapi.lb.en.stand-in.O/m=gapi_iframes/rt=j/sv=1/d=1/ed=1/cb=gapi.loaded_0';

/**
 * Replacements for Google's two scripts, which are the only third-party scripts of provider sign-in. They provide
 * `gapi.load`, and the parts of `gapi.iframes` that the SDK and the helper's frame use, over postMessage. Everything
 * else in these journeys is real.
 */
const LOADER_STAND_IN = `(() => {
  window.gapi = {
    load(_what, { callback }) {
      const script = document.createElement('script');
      script.src = 'https://apis.google.com${LIBRARY}?le=scs';
      script.onload = callback;
      document.head.appendChild(script);
    },
  };
  const onload = new URL(document.currentScript.src).searchParams.get('onload');
  setTimeout(() => (onload ? window[onload] : window.gapi_onload)?.());
})();`;
const LIBRARY_STAND_IN = `(() => {
  const TAG = 'gapi-stand-in';
  const quietly = (fn, ...args) => { try { return fn?.(...args); } catch { return undefined; } };
  function link(target, isFrom) {
    const handlers = new Map(), waiting = [], callbacks = new Map();
    let heard = false, next = 1;
    const post = (message) => target()?.postMessage({ tag: TAG, ...message }, '*');
    const deliver = async ({ id, name, body }) => {
      const result = await quietly(handlers.get(name), body);
      post({ kind: 'reply', id, result });
    };
    window.addEventListener('message', ({ source, data }) => {
      if (!isFrom(source) || data?.tag !== TAG) return;
      if (data.kind === 'ping') post({ kind: 'pong' });
      if (data.kind === 'pong') heard = true;
      if (data.kind === 'reply') quietly(callbacks.get(data.id), [data.result]);
      if (data.kind === 'call') { if (handlers.has(data.name)) void deliver(data); else waiting.push(data); }
    });
    return {
      register(name, handler) {
        handlers.set(name, handler);
        waiting.splice(0).forEach((call) => { if (call.name === name) void deliver(call); else waiting.push(call); });
      },
      send(name, body, callback) {
        const id = next++;
        callbacks.set(id, callback);
        post({ kind: 'call', id, name, body });
      },
      restyle: () => Promise.resolve(),
      ping(callback) {
        return new Promise((resolve) => {
          const ask = () => {
            if (heard) { quietly(callback); resolve(); return; }
            post({ kind: 'ping' });
            setTimeout(ask, 20);
          };
          ask();
        });
      },
    };
  }
  const context = {
    open({ where, url, attributes: { style, ...rest } }, callback) {
      const frame = document.createElement('iframe');
      Object.assign(frame.style, style);
      for (const [name, value] of Object.entries(rest)) frame.setAttribute(name, value);
      frame.src = url;
      where.appendChild(frame);
      const iframe = link(() => frame.contentWindow, (source) => source === frame.contentWindow);
      return Promise.resolve(callback(iframe));
    },
    getParentIframe: () => parentLink ??= link(() => window.parent, (source) => source === window.parent),
  };
  let parentLink;
  gapi.iframes = { CROSS_ORIGIN_IFRAMES_FILTER: 'cross-origin', Iframe: function () {}, getContext: () => context };
})();`;

const STAND_INS = new Map([
  [LOADER, LOADER_STAND_IN],
  [LIBRARY, LIBRARY_STAND_IN],
]);

/** Serves the URLs of Google's scripts and blocks all other requests that leave this machine. */
export async function answerGoogleApi(context: BrowserContext): Promise<void> {
  await context.route(
    ({ hostname }) => hostname !== 'localhost' && hostname !== '127.0.0.1' && !hostname.endsWith('.localhost'),
    (route) => {
      const { host, pathname } = new URL(route.request().url());
      const body = host === 'apis.google.com' ? STAND_INS.get(pathname) : undefined;
      if (body === undefined) return route.abort();
      return route.fulfill({ contentType: 'text/javascript', body });
    },
  );
}
