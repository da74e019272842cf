"""A Django site in one file: python3 app.py"""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import path

PORT = os.environ.get("PORT", "3005")

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="not used: this site has no sessions of its own",
    IDENTITY_ORIGIN=os.environ.get("IDENTITY_ORIGIN", "http://localhost:3000"),
    OWN_ORIGIN=os.environ.get("OWN_ORIGIN", f"http://localhost:{PORT}"),
    IDENTITY_TIMEOUT=int(os.environ.get("IDENTITY_TIMEOUT_MS", "5000")) / 1000,
)

from identity import get_session, get_sign_out_url, require_learner  # noqa: E402


@require_learner
def dashboard(request):
    return JsonResponse(request.learner)


urlpatterns = [
    path("", lambda request: HttpResponse("A public page", content_type="text/plain")),
    path("dashboard", dashboard),
    path("change", lambda request: HttpResponse(get_session(request, cached=False)[0])),
    path("sign-out", lambda request: HttpResponseRedirect(get_sign_out_url("/"))),
]

if __name__ == "__main__":
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", f"127.0.0.1:{PORT}"])
