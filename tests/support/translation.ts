/** `early`: before React hydrates the page. `late`: after that, once the browser is idle. */
export type TranslationMoment = 'early' | 'late';

/**
 * Translates the page as browsers do, now and after each change. Each text becomes two `<font>` elements with the
 * translation. This is also a page's init script, so it uses nothing outside of itself.
 * @param moment when an init script translates
 * @param marks put around each text, so that it changes
 */
export function translatePage({
  moment,
  marks = ['⟦', '⟧'],
}: { moment?: TranslationMoment; marks?: [string, string] } = {}): void {
  const [before, after] = marks;
  const isLeftOut = (node: Node) =>
    (node.parentElement?.closest('font, script, style, noscript, select, svg, [translate="no"]') ?? null) !== null;
  const translate = (text: Text) => {
    if ((text.nodeValue ?? '').trim() === '' || isLeftOut(text) || !text.isConnected) return;
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    for (const font of [outer, inner]) font.style.verticalAlign = 'inherit';
    inner.textContent = before + (text.nodeValue ?? '') + after;
    outer.append(inner);
    text.replaceWith(outer);
  };
  const visit = (node: Node): void => {
    if (node.nodeType === 3) translate(node as Text);
    else [...node.childNodes].forEach(visit);
  };
  const observer = new MutationObserver((records) =>
    records.forEach(({ target, addedNodes }) => {
      if (target.nodeType === 3) visit(target);
      else addedNodes.forEach(visit);
    }),
  );
  const begin = () => {
    visit(document.body);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  };
  if (moment === undefined) return begin();
  // The scripts of a page run once the whole page is parsed.
  const isDue = () =>
    moment === 'early' ? document.readyState !== 'loading' : document.querySelector('html[data-ready]') !== null;
  const waiting = new MutationObserver(() => check());
  const check = () => {
    if (!isDue()) return;
    waiting.disconnect();
    document.removeEventListener('readystatechange', check);
    if (moment === 'early') begin();
    else requestIdleCallback(begin);
  };
  document.addEventListener('readystatechange', check);
  waiting.observe(document, { attributes: true, attributeFilter: ['data-ready'], subtree: true });
  check();
}
