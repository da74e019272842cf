/**
 * Runs before all other scripts on a page. Keeps the last form submitted or button clicked before hydration
 * (`data-early`), and cancels the event, so that it runs exactly once: `Form` and `usePageReady` replay it after
 * hydration. A back or forward navigation before the router is ready reloads the page at that URL. Typed text stays in
 * its field and is not stored elsewhere. `data-late` on the document shows that the scripts have not arrived
 * (components/layout/shell-parts.tsx): when one failed to load, or 8 s after the event. Constant, so that the Content-Security-Policy can list its hash.
 */
export const EARLY_SCRIPT = `(function(){var d=document,at=address(),last,failed;
function address(){return location.pathname+location.search}
function ready(e){return e.hasAttribute('data-ready')}
function keep(event,e){event.preventDefault();event.stopImmediatePropagation();
if(last)last.removeAttribute('data-early');last=e;e.setAttribute('data-early','');if(failed)late();else setTimeout(late,8000)}
function late(){d.documentElement.setAttribute('data-late','')}
addEventListener('error',function(event){if(event.target.tagName==='SCRIPT'){failed=1;if(last)late()}},true);
addEventListener('submit',function(event){if(!ready(event.target))keep(event,event.target)},true);
addEventListener('click',function(event){var e=!ready(d.documentElement)&&event.target.closest('button[type=button]');
if(e)keep(event,e)},true);
addEventListener('popstate',function(){if(!ready(d.documentElement)&&address()!==at)location.reload()})})();`;
