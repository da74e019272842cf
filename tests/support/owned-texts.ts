/**
 * Finds text nodes that React keeps a reference to, which are text nodes with siblings. A browser's translation
 * replaces them, and React then fails. This also runs in a page, so it uses nothing outside of itself.
 */
export function findOwnedTexts(root: Node): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    const isText = node.nodeType === 3;
    if (isText && Object.keys(node).some((key) => key.startsWith('__reactFiber$')))
      found.push(`${node.parentElement?.outerHTML.slice(0, 200) ?? ''}: ${node.nodeValue ?? ''}`);
    node.childNodes.forEach(visit);
  };
  visit(root);
  return found;
}
