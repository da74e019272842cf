import { expect, it } from 'vitest';
import { beginScripts } from './begin-scripts';

it('names the scripts in their order, and cannot be ended by one of them', () => {
  const script = beginScripts(['/main.js', '/page.js?</script>']);
  expect(script).not.toContain('</script>');
  const [, list] = /\((\[.*\])\)$/.exec(script) ?? [];
  expect(JSON.parse(list ?? '')).toEqual(['/main.js', '/page.js?</script>']);
});
