/**
 * Translates the page as browsers do, now and whenever it changes: each text becomes two `<font>` elements with the translation. Also an
 * init script of a page: it uses nothing around it.
 */
export function translatePage(): void {
  const isLeftOut = (node: Node) =>
    (node.parentElement?.closest('font, script, style, noscript, select, svg, [translate="no"]') ?? null) !== null;
  const translate = (text: Text) => {
    if ((text.nodeValue ?? '').trim() === '' || isLeftOut(text) || !text.isConnected) return;
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    for (const font of [outer, inner]) font.style.verticalAlign = 'inherit';
    inner.textContent = `⟦${text.nodeValue ?? ''}⟧`;
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
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
}
