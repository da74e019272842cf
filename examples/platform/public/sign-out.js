const button = document.querySelector('#sign-out');
const status = document.querySelector('#sign-out-status');

// Only the sign-in app can end its session. The browser sends the cookie, and the app allows this origin by CORS.
button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    const address = `${button.dataset.identityOrigin}/api/initiate-logout`;
    const response = await fetch(address, { method: 'POST', credentials: 'include' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    location.href = '/';
  } catch {
    button.disabled = false;
    status.textContent = "We couldn't sign you out. Try again.";
  }
});
