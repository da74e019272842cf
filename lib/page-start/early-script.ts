/**
 * Runs before anything else of a page: marks the form that was sent, or else the button that was pressed, last before
 * the page is ready. `Form` and `usePageReady` do it then. Constant, so that a policy can name its hash.
 */
export const EARLY_SCRIPT = `(function(){var d=document,last;
function mark(e){if(last)last.removeAttribute('data-early');if(last=e)e.setAttribute('data-early','')}
addEventListener('submit',function(e){var f=e.target;
if(!f.hasAttribute('data-ready')){e.preventDefault();mark(f)}},true);
addEventListener('click',function(e){
if(!d.documentElement.hasAttribute('data-ready'))mark(e.target.closest('button[type=button]'))},true)})();`;
