/**
 * Runs before all other scripts on a page. Keeps the last form submitted or button clicked before hydration
 * (`data-early`), and cancels the event, so that it runs exactly once: `Form` and `usePageReady` replay it after
 * hydration. A back or forward navigation before the router is ready reloads the page at that URL. Typed text stays in
 * its field and is not stored elsewhere. Constant, so that the Content-Security-Policy can list its hash.
 */
export const EARLY_SCRIPT = `(function(){var d=document,at=address(),last;
function address(){return location.pathname+location.search}
function ready(e){return e.hasAttribute('data-ready')}
function keep(event,e){event.preventDefault();event.stopImmediatePropagation();
if(last)last.removeAttribute('data-early');last=e;e.setAttribute('data-early','')}
addEventListener('submit',function(event){if(!ready(event.target))keep(event,event.target)},true);
addEventListener('click',function(event){var e=!ready(d.documentElement)&&event.target.closest('button[type=button]');
if(e)keep(event,e)},true);
addEventListener('popstate',function(){if(!ready(d.documentElement)&&address()!==at)location.reload()})})();`;
