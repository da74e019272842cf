import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEVICES, fileOf, FOLDER, THEMES } from './shoot';

/** Writes the page that shows all pictures: a section for each screen, its states below it. */
export default function writeGallery(): void {
  const [device = '', theme = ''] = [Object.keys(DEVICES)[0], THEMES[0]];
  const ending = fileOf('', device, theme);
  const screens = readdirSync(FOLDER)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort();
  const lines = [
    '# Screens',
    '',
    'Every screen and its states, taken from the running product by `npm run screens`: phone (390 px) and desktop (1280 px),',
    'light and dark.',
    '',
    ...screens.flatMap((screen) => [`## ${screen.replaceAll('.', ': ').replaceAll('-', ' ')}`, '', rowOf(screen), '']),
  ];
  writeFileSync(path.join(FOLDER, 'README.md'), lines.join('\n'));
}

function rowOf(screen: string): string {
  const pictures = Object.keys(DEVICES).flatMap((device) =>
    THEMES.map((theme) => {
      const width = device === 'phone' ? 160 : 320;
      return `<img src="${fileOf(screen, device, theme)}" width="${width}" alt="${screen}, ${device}, ${theme}">`;
    }),
  );
  return pictures.join(' ');
}
