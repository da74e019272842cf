/**
 * Runs before anything else of a page: marks the form that was sent, or else the button that was pressed, last before
 * React listens (lib/first-load/hydrate-in-slices.ts); from then on it hydrates at once what is pressed, and delivers it.
 * `Form` and `usePageReady` do what is marked. Somebody who goes back or forward before the router can follow gets the page
 * of that address loaded, which would show this one otherwise. Constant, so that a policy can name its hash.
 */
export const EARLY_SCRIPT = `(function(){var d=document,at=address(),last;
function address(){return location.pathname+location.search}
function mark(e){if(d.documentElement.hasAttribute('data-listening'))return;
if(last)last.removeAttribute('data-early');if(last=e)e.setAttribute('data-early','')}
addEventListener('submit',function(e){var f=e.target;
if(!f.hasAttribute('data-ready')){e.preventDefault();mark(f)}},true);
addEventListener('click',function(e){mark(e.target.closest('button[type=button]'))},true);
addEventListener('popstate',function(){if(address()!==at&&!(window.next&&next.router))location.reload()})})();`;
