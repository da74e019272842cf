"""
A sign-in by python3-social-auth-core's backend for OpenID Connect, which Open edX uses. Arguments: issuer, client id, secret and redirect URI. Prints
the address of the request; reads the address that the browser came back to; prints what is known of the user, and the ID token's claims.
"""
import json
import sys
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlparse

from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.strategy import BaseStrategy

issuer, client_id, secret, redirect_uri = sys.argv[1:]
# As "Other settings" of the recipe has them.
SETTINGS = {
    'SOCIAL_AUTH_OIDC_KEY': client_id,
    'SOCIAL_AUTH_OIDC_SECRET': secret,
    'SOCIAL_AUTH_OIDC_OIDC_ENDPOINT': issuer,
    'SOCIAL_AUTH_OIDC_ID_TOKEN_ISSUER': issuer,
}


class Associations:
    """Nonces that were sent."""

    stored = {}

    def store(self, server_url, association):
        self.stored[association.handle] = (server_url, association)

    def get(self, server_url, handle):
        known, association = self.stored.get(handle, (None, None))
        return [SimpleNamespace(id=handle)] if known == server_url and association else []

    def remove(self, ids):
        for each in ids:
            del self.stored[each]


class Strategy(BaseStrategy):
    session = {}
    request = {}

    def get_setting(self, name):
        return SETTINGS[name]

    def request_data(self, merge=True):
        return self.request

    def request_host(self):
        return urlparse(redirect_uri).netloc

    def build_absolute_uri(self, path=None):
        return path

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def session_pop(self, name):
        return self.session.pop(name, None)

    def authenticate(self, backend, *args, **kwargs):
        return kwargs['response']


strategy = Strategy(SimpleNamespace(association=Associations()))
print(OpenIdConnectAuth(strategy, redirect_uri=redirect_uri).auth_url(), flush=True)
strategy.request = dict(parse_qsl(urlparse(sys.stdin.readline().strip()).query))
# Another request of the platform, with its session.
backend = OpenIdConnectAuth(strategy, redirect_uri=redirect_uri)
user = backend.auth_complete()
print(json.dumps({'details': backend.get_user_details(user), 'claims': backend.id_token}))
