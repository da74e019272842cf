const button = document.querySelector('#sign-out');
const status = document.querySelector('#sign-out-status');

// The session is the sign-in app's: it alone can end it. The browser sends the cookie, the app allows our origin.
button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    const address = `${button.dataset.identityOrigin}/api/initiate-logout`;
    const response = await fetch(address, { method: 'POST', credentials: 'include' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    location.href = '/';
  } catch {
    button.disabled = false;
    status.textContent = 'Signing out did not work. Please try again.';
  }
});
