/** Downloads a file that this page has created. @param type its media type */
export function downloadFile(name: string, content: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser reads the URL while it handles the click.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
