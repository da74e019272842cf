"""Sessions of the sign-in app, for Django. Settings: IDENTITY_ORIGIN, OWN_ORIGIN, and optionally IDENTITY_TIMEOUT."""
# cspell:ignore noopener

import hashlib
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from functools import wraps
from inspect import iscoroutinefunction

from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.dateparse import parse_datetime
from django.utils.html import escape

# The only cookie of a request that is forwarded.
SESSION_COOKIE = "_secure-user-session"
# Django's cache evicts entries by itself: in memory, at most MAX_ENTRIES (300 by default).
CACHE_SECONDS = 5

SIGNED_OUT_PAGE = """<!doctype html><html lang="en"><title>You've been signed out</title>
<h1>You've been signed out</h1><p>What you sent isn't saved yet. Leave this page open, and
<a href="{address}" target="_blank" rel="noopener">sign in in a new tab</a>. Then come back and reload this page: your browser sends it again.</p></html>"""

UNAVAILABLE_PAGE = """<!doctype html><html lang="en"><title>We can't check your sign-in right now</title>
<h1>We can't check your sign-in right now</h1><p>You're still signed in. <a href="">Try again</a> in a moment.</p></html>"""


def get_session(request, cached=True):
    """Returns ("signed-in", learner), ("signed-out", None), or ("unknown", None) when it cannot be checked now.

    With cached=False, before a change that matters, the sign-in app is always asked.
    """
    cookie = _select_session_cookie(request.META.get("HTTP_COOKIE", ""))
    if not cookie:
        return "signed-out", None
    # Sites of another sign-in app may share the cache.
    checked = f"{_get_origin('IDENTITY_ORIGIN')}\n{cookie}"
    key = "identity-" + hashlib.sha256(checked.encode("latin-1", "replace")).hexdigest()
    learner = None
    # An outage of the cache is none of the site.
    with suppress(Exception):
        learner = cache.get(key) if cached else None
    if learner is not None:
        return "signed-in", learner
    state, learner = _fetch_session(cookie)
    # Only a success is worth keeping: a failure may be over with the next request.
    if state == "signed-in":
        with suppress(Exception):
            end = parse_datetime(learner["expiresAt"]).timestamp()
            cache.set(key, learner, min(CACHE_SECONDS, end - time.time()))
    return state, learner


def get_sign_in_url(path):
    return _get_address("/sign-in", path)


def get_sign_out_url(path):
    """The page of the sign-in app that asks whether to sign out."""
    return _get_address("/sign-out", path)


def require_learner(view):
    """For views that need a learner: request.learner. Async views call sync_to_async(get_session) themselves."""
    if iscoroutinefunction(view):
        raise TypeError("require_learner is for views that are not async")

    @wraps(view)
    def checked(request, *args, **kwargs):
        state, learner = get_session(request)
        if state == "signed-in":
            request.learner = learner
            response = view(request, *args, **kwargs)
        elif state == "signed-out":
            response = _answer_signed_out(request)
        else:
            # Not a redirect: while the sign-in app cannot be reached, it would end in a loop.
            response = HttpResponse(UNAVAILABLE_PAGE, status=503, headers={"Retry-After": "5"})
        response["Cache-Control"] = "private, no-store"
        return response

    return checked


def _answer_signed_out(request):
    """A form that was sent is not redirected: what it contains would be lost. A script is not either: it could not follow to another origin."""
    mode = request.headers.get("Sec-Fetch-Mode", "")
    is_script = mode != "navigate" if mode else "json" in request.headers.get("Accept", "")
    if is_script:
        return JsonResponse({"error": "signed-out", "signInUrl": get_sign_in_url("/")}, status=401)
    if request.method in ("GET", "HEAD"):
        response = HttpResponseRedirect(get_sign_in_url(request.get_full_path()))
        response.status_code = 303
        return response
    return HttpResponse(SIGNED_OUT_PAGE.format(address=escape(get_sign_in_url("/"))), status=401)


def _get_origin(name):
    """An origin of the settings: without one, visitors would be redirected to this site itself, in circles."""
    origin = getattr(settings, name, "")
    if not re.fullmatch(r"https?://[^/]+", origin):
        raise ImproperlyConfigured(f"{name} must be an origin, such as https://id.campus.example")
    return origin


def _fetch_session(cookie):
    request = urllib.request.Request(
        _get_origin("IDENTITY_ORIGIN") + "/api/check-auth-status", method="POST", headers={"Cookie": cookie}
    )
    try:
        with _opener.open(request, timeout=getattr(settings, "IDENTITY_TIMEOUT", 5)) as response:
            learner = json.load(response) if response.status == 200 else None
        uid = learner.get("uid") if isinstance(learner, dict) else None
        # A proxy or a captive portal may answer with 200, too.
        return ("signed-in", learner) if isinstance(uid, str) and uid else ("unknown", None)
    except urllib.error.HTTPError as error:
        return ("signed-out" if error.code == 401 else "unknown"), None
    except (OSError, ValueError, http.client.HTTPException):
        return "unknown", None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args, **kwargs):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _select_session_cookie(header):
    cookies = [cookie.strip() for cookie in header.split(";")]
    return "; ".join(cookie for cookie in cookies if cookie.startswith(SESSION_COOKIE + "=") and cookie != SESSION_COOKIE + "=")


def _get_address(page, path):
    # OWN_ORIGIN is configuration, never the Host header, which the visitor chooses.
    query = urllib.parse.urlencode({"redirect_uri": _get_origin("OWN_ORIGIN") + path})
    return f"{_get_origin('IDENTITY_ORIGIN')}{page}?{query}"
