"""A Django site that signs its learners in by Authlib."""

import os
import sys
from html import escape
from urllib.parse import urlencode

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path

ORIGIN = os.environ["ORIGIN"]
ISSUER = os.environ["ISSUER"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY=CLIENT_SECRET,
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware"],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    SESSION_COOKIE_SECURE=True,
    AUTHLIB_OAUTH_CLIENTS={
        "campus": {
            "client_id": os.environ["CLIENT_ID"],
            "client_secret": CLIENT_SECRET,
            "server_metadata_url": f"{ISSUER}/.well-known/openid-configuration",
            "client_kwargs": {"scope": "openid profile email", "code_challenge_method": "S256"},
        }
    },
)

from authlib.integrations.base_client import OAuthError  # noqa: E402
from authlib.integrations.django_client import OAuth  # noqa: E402

oauth = OAuth()
oauth.register("campus")


def send_answer(answer):
    return HttpResponse(f'<!doctype html><title>School</title><p id="answer">{escape(answer)}</p>')


def describe(user):
    return f"Signed in as {user['name']}, {user['sub']}"


def begin(request, **parameters):
    user = request.session.get("user")
    if user:
        return send_answer(describe(user))
    request.session["wanted"] = request.get_full_path()
    return oauth.campus.authorize_redirect(request, f"{ORIGIN}/callback", **parameters)


def home(request):
    user = request.session.get("user")
    return send_answer(describe(user) if user else "Signed out")


def course(request, number):
    return begin(request)


def silent(request):
    return begin(request, prompt="none")


def callback(request):
    try:
        token = oauth.campus.authorize_access_token(request)
    except OAuthError as error:
        return send_answer(error.error)
    # A large cookie: the ID token is kept for the sign-out.
    request.session["user"] = {"name": token["userinfo"]["name"], "sub": token["userinfo"]["sub"]}
    request.session["id_token"] = token["id_token"]
    return HttpResponseRedirect(request.session.pop("wanted", "/"))


def sign_out(request):
    query = urlencode({"id_token_hint": request.session["id_token"], "post_logout_redirect_uri": f"{ORIGIN}/"})
    request.session.flush()
    return HttpResponseRedirect(f"{oauth.campus.load_server_metadata()['end_session_endpoint']}?{query}")


urlpatterns = [
    path("", home),
    path("courses/<int:number>", course),
    path("silent", silent),
    path("callback", callback),
    path("sign-out", sign_out),
]

if __name__ == "__main__":
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", f"127.0.0.1:{os.environ['PORT']}"])
