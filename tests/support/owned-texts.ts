/**
 * The text nodes that React keeps a reference to: those that are not the only child of their element. Translation in the browser replaces
 * them, and React then fails. Also runs in a page: it uses nothing around it.
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
