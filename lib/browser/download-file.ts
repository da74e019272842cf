/** Downloads a file that this page has made. @param type its media type */
export function downloadFile(name: string, content: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser reads it while the event is handled.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
