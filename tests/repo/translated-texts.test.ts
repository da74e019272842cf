import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';

/**
 * Translation in the browser replaces text nodes. React fails if it then removes its own node, and it changes a node
 * that is no longer shown. React keeps no reference to a text that is the only child of its element. A component's
 * `children` are checked where they are rendered (tests/support/owned-texts.ts).
 */
const ALONE = 'text stands beside an element: put it into a <span> of its own, with its spaces';

type Found = { at: number; text: string };

const isJsx = (node: ts.Node) => ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node);

/** Returns the part of an expression that may be a text. Null if all parts are elements or empty. */
function findText(node: ts.Expression, elements: ReadonlySet<string>): ts.Expression | null {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return findText(node.expression, elements);
  if (isJsx(node)) return null;
  if (['null', 'undefined', 'true', 'false'].includes(node.getText())) return null;
  if (ts.isBinaryExpression(node)) {
    const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
    return (isAnd ? null : findText(node.left, elements)) ?? findText(node.right, elements);
  }
  if (ts.isConditionalExpression(node)) return findText(node.whenTrue, elements) ?? findText(node.whenFalse, elements);
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'map'
  ) {
    const [work] = node.arguments;
    if (work && ts.isArrowFunction(work) && !ts.isBlock(work.body)) return findText(work.body, elements);
    return null;
  }
  if (ts.isArrayLiteralExpression(node))
    return node.elements.map((item) => findText(item, elements)).find(Boolean) ?? null;
  const named = ts.isElementAccessExpression(node) || ts.isCallExpression(node) ? node.expression : node;
  return ts.isIdentifier(named) && elements.has(named.text) ? null : node;
}

/** Lists the `return` statements of a function, without those of nested functions. */
function findReturns(node: ts.Node): ts.Expression[] {
  if (ts.isReturnStatement(node)) return node.expression ? [node.expression] : [];
  const found: ts.Expression[] = [];
  ts.forEachChild(node, (child) => void (ts.isFunctionLike(child) || found.push(...findReturns(child))));
  return found;
}

function findTexts(source: string): Found[] {
  const file = ts.createSourceFile('screen.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Found[] = [];
  // Variables that contain elements: `children`, and variables that are typed as elements or made of them.
  const elements = new Set(['children']);
  const collect = (node: ts.Node): void => {
    if ((ts.isPropertySignature(node) || ts.isParameter(node) || ts.isVariableDeclaration(node)) && node.type)
      if (/\b(?:ReactNode|ReactElement|JSX\.Element)\b/.test(node.type.getText())) elements.add(node.name.getText());
    if (ts.isVariableDeclaration(node) && node.initializer && findText(node.initializer, elements) === null)
      elements.add(node.name.getText());
    ts.forEachChild(node, collect);
  };
  collect(file);
  const report = (node: ts.Node) =>
    found.push({ at: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text: node.getText().trim() });
  const check = (node: ts.Node): void => {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      const children = node.children.filter((child) => !(ts.isJsxText(child) && child.containsOnlyTriviaWhiteSpaces));
      // A fragment has no element of its own.
      if (children.length > 1 || ts.isJsxFragment(node))
        for (const child of children) {
          const text = ts.isJsxExpression(child) && child.expression && findText(child.expression, elements);
          if (ts.isJsxText(child)) report(child);
          else if (text) report(text);
        }
    }
    // A component that returns a text stands in another component's element.
    if (ts.isFunctionDeclaration(node) && node.body && /^[A-Z]/.test(node.name?.text ?? ''))
      for (const returned of findReturns(node.body)) if (findText(returned, elements)) report(returned);
    ts.forEachChild(node, check);
  };
  check(file);
  return found;
}

it.each([
  ['<p>{t("a")} <a href="/">b</a></p>', true],
  ['<p>{isOn && t("a")}{isOff && <b>c</b>}</p>', true],
  ['<><b>c</b>{name}</>', true],
  ['<>{t("a")}</>', true],
  ['<p>{a}{b}</p>', true],
  ['<p>a: {b}</p>', true],
  ['<ul>{names.map((name) => name)}<li>b</li></ul>', true],
  ['<p>{isOn ? t("a") : t("b")}</p>', false],
  ['<p><span>{`${t("a")} `}</span><a href="/">b</a></p>', false],
  ['<p>{isOn ? <b>c</b> : null}{isOff && <b>c</b>}{children}</p>', false],
])('%s', (screen, isFound) => {
  expect(findTexts(`const x = (t, a, b, names, children) => ${screen}`).length > 0).toBe(isFound);
});

it('a component that returns a text is found', () => {
  expect(findTexts("function Hint() { if (a) return null; return t('a'); }")).toHaveLength(1);
  expect(findTexts("function Hint() { const getText = () => { return t('a'); }; return <b>{getText()}</b>; }")).toEqual(
    [],
  );
});

it('no screen has a text beside an element', () => {
  const files = ['components', 'pages', 'lib/browser'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  );
  const screens = files.filter((name) => name.endsWith('.tsx') && !name.includes('.test.'));
  expect(screens.length).toBeGreaterThan(100);
  const wrong = screens.flatMap((name) =>
    findTexts(readFileSync(path.join(root, name), 'utf8')).map(({ at, text }) => `${name}:${String(at)} ${text}`),
  );
  expect(wrong, ALONE).toEqual([]);
});
