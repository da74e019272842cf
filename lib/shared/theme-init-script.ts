/**
 * Sets the theme before the first paint: the query parameter `theme`, else the stored preference, else the system
 * setting (docs/product.md#routes). The script is constant, so that a CSP can list its hash.
 */
export const THEME_STORAGE_KEY = 'theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_INIT_SCRIPT = `(function(){var d=document.documentElement,t=null;
try{var q=new URLSearchParams(location.search).get('theme');
if(q==='light'||q==='dark')t=q,localStorage.setItem('${THEME_STORAGE_KEY}',q);
else t=localStorage.getItem('${THEME_STORAGE_KEY}')}catch(e){}
if(t!=='light'&&t!=='dark')t=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light';
d.setAttribute('data-theme',t)})();`;
