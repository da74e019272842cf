/**
 * Begins the page's own scripts once it has been painted: fetched and evaluated before, they would take a slow phone's
 * processor from painting, and keep the page white. Where nothing is painted, such as in a tab behind others, they begin
 * anyway. What somebody does meanwhile is kept (early-script.ts).
 * @param addresses of the scripts, in their order
 * @returns a script for the head, whose hash a policy can name
 */
export function beginScripts(addresses: readonly string[]): string {
  return `(function(addresses){var d=document,begun;
function begin(){if(begun)return;begun=1;addresses.forEach(function(address){
var s=d.createElement('script');s.src=address;s.async=false;d.head.appendChild(s)})}
addEventListener('DOMContentLoaded',function(){if(d.hidden)return begin();
try{new PerformanceObserver(function(seen){seen.getEntriesByName('first-contentful-paint')[0]&&begin()})
.observe({type:'paint',buffered:true})}catch(e){begin()}
setTimeout(begin,500)})})(${JSON.stringify(addresses).replaceAll('<', String.raw`\u003c`)})`;
}
